// SPDX-License-Identifier: Apache-2.0
// Where it was before it stood in a module without LibTorch.
#pragma once

#include "dataset/frames/frame_index.h"
