// SPDX-License-Identifier: Apache-2.0
// Times the kernels on a GPU: `attention_device_bench ELEMENT BATCH HEADS LENGTH WIDTH CAUSAL` prints the device and the median
// seconds of forward and of backward as one line of JSON. tools/gpu_check starts it and makes the table.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "learning/kernels/cuda/device.h"
#include "learning/kernels/sigmoid_attention_cuda.h"
#include "render/base/error.h"
#include "tests/learning/kernels/cuda/half.h"
#include "tests/support/golden.h"

namespace {

using namespace simulacra;
using namespace simulacra::kernels::attention::cuda;

Element element_named(const std::string& name) {
  for (const Element e : {Element::float64, Element::float32, Element::bfloat16, Element::float16})
    if (test::half::name_of(e) == name) return e;
  fail_usage("no element type is called '{}'", name);
}

/// Normal numbers, the same 65536 again and again: their values do not change the time.
void* filled(Element e, std::size_t count) {
  const std::vector<double> values = test::golden::generate("normal12", 1, std::min<std::size_t>(count, 65536));
  const std::size_t size = test::half::size_of(e);
  std::vector<char> image(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = test::half::to_bytes(e, values[i % values.size()]);
    std::copy_n(bytes.data(), size, &image[i * size]);
  }
  void* const to = allocate(image.size());
  copy_to_device(to, image.data(), image.size());
  return to;
}

/// The median of 9, each of as many calls as take about 20 ms.
double median_seconds(const std::function<void()>& call) {
  call();
  const double once = seconds_on_device(call);
  const int repeats = std::clamp(static_cast<int>(0.02 / std::max(once, 1e-6)), 1, 1000);
  std::vector<double> times;
  for (int i = 0; i < 9; ++i)
    times.push_back(seconds_on_device([&] {
                      for (int r = 0; r < repeats; ++r) call();
                    }) /
                    repeats);
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

void run(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) fail_usage("expected ELEMENT BATCH HEADS LENGTH WIDTH CAUSAL");
  if (device_count() == 0) fail("there is no NVIDIA GPU");
  const auto number = [&](std::size_t i) { return std::int64_t{std::stoll(arguments[i])}; };
  Call call;
  call.element = element_named(arguments[0]);
  const std::int64_t batch = number(1), heads = number(2), n = number(3), d = number(4);
  call.shape = {batch, heads, heads, n, n, d, d};
  call.scale = 1 / std::sqrt(static_cast<double>(d));
  call.causal = number(5) != 0;
  const auto count = static_cast<std::size_t>(batch * heads * n * d);
  const auto rows = [&] { return DeviceRows{filled(call.element, count), heads * n * d, n * d, d}; };
  call.q = rows(), call.k = rows(), call.v = rows();
  const std::vector<double> bias(static_cast<std::size_t>(heads), -std::log(static_cast<double>(n)));
  double* const device_bias = static_cast<double*>(allocate(bias.size() * sizeof(double)));
  copy_to_device(device_bias, bias.data(), bias.size() * sizeof(double));
  call.bias = device_bias;
  const DeviceRows o = rows(), grad = rows();
  const DeviceGradients out{rows(), rows(), rows(), static_cast<double*>(allocate(bias.size() * sizeof(double))), nullptr};
  void* const workspace = allocate(backward_workspace_bytes(call));

  const double forward_seconds = median_seconds([&] { forward(call, o, nullptr); });
  const double backward_seconds = median_seconds([&] { backward(call, grad, out, workspace, nullptr); });
  const DeviceDescription device = device_description();
  fmt::print("{{\"device\": \"{}\", \"capability\": [{}, {}], \"multiprocessors\": {}, \"clock_hz\": {}, \"forward_s\": {:.9g}, "
             "\"backward_s\": {:.9g}}}\n",
             device.name, device.major, device.minor, device.multiprocessors, device.clock_hz, forward_seconds, backward_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "attention_device_bench: {}\n", e.what());
    return 1;
  }
}
