// SPDX-License-Identifier: Apache-2.0
// The table from catalogue names to classes and roles. A row's names are separated by '|'; they are compared
// without regard to case.
#pragma once

#include <string_view>

#include "dataset/rooms/pieces.h"

namespace simulacra::rooms {

struct PieceRow {
  std::string_view semantic;
  Role role;
  std::string_view names;
};

inline constexpr PieceRow kPieceTable[] = {
    // seating
    {"sofa",
     Role::sofa,
     "burlap sofa|clear sofa|couch|futon couch|sofa|sofa 2 seats|sofa 3 seats|winchester sofa|"
     "convertible sofa bz"},
    {"sofa", Role::none, "corner sofa|rattan sofa"},
    {"chair", Role::armchair, "armchair|modern armchair|winchester armchair|armchair ottoman|rattan armchair"},
    {"chair", Role::chair, "chair|chair with cushion|oak chair|osaka chair|plastic chair|cafe chair|teck chair"},
    {"chair",
     Role::none,
     "folding chair|ryokan chair|wheelchair|class seat|baby high chair|child chair|children chair|"
     "beach chair|deck chair|relax chair"},
    {"chair", Role::bar_stool, "bar chair|bar stool"},
    {"chair", Role::low_stool, "stool|piano bench|puff"},
    {"chair", Role::none, "bench"},
    // tables and desks
    {"table", Role::coffee_table, "coffee table"},
    {"table",
     Role::dining_table,
     "table|black table|glass table|oak table|round table|table on trestles|"
     "table with tablecloth|folding table|cafe table|rattan table"},
    {"table",
     Role::none,
     "bar table|children table|technical table|football table|pool table|table tennis|workbench|"
     "changing table|island extension"},
    {"desk", Role::desk, "desk|desk table|wooden desk|wooden table|wooden alder table|wooden teak table"},
    {"desk", Role::none, "dressing table"},
    {"nightstand", Role::bedside, "bedside table"},
    // beds
    {"bed", Role::bed, "bed|iron bed"},
    {"bed", Role::single_bed, "child bed|captain's bed|day bed"},
    {"bed",
     Role::none,
     "air mattress|baby bed|bunk bed|crib|futon|hospital bed|mezzanine bed|sleeping bag|"
     "opened convertible sofa bz"},
    // storage
    {"cabinet", Role::wardrobe, "wardrobe|cupboard"},
    {"bookshelf", Role::bookcase, "bookcase|full bookcase"},
    {"shelves", Role::bookcase, "shelves|vertical shelves"},
    {"dresser", Role::chest, "chest|dresser with drawers"},
    {"cabinet", Role::tv_stand, "tv stand"},
    {"cabinet", Role::none, "television cabinet|contemporary living room|locked locker|screen|box|safe"},
    {"cabinet", Role::filing, "filing cabinet"},
    // kitchen
    {"cabinet", Role::kitchen_base, "drawers cabinet|lower cabinet|small lower cabinet"},
    {"cabinet", Role::none, "lower corner cabinet|upper corner cabinet|upper shelves cabinet"},
    {"counter", Role::none, "island"},
    {"sink", Role::kitchen_sink, "sink|sink cabinet"},
    {"cabinet", Role::kitchen_upper, "upper cabinet|small upper cabinet|glass door cabinet"},
    {"cabinet", Role::kitchen_high, "high cabinet"},
    {"otherfurniture", Role::stove, "large stove|oven|propane stove"},
    {"otherfurniture",
     Role::none,
     "double oven|range hood|hood|cooktop|induction cooker 2 zones|induction cooker 4 zones|"
     "stove|chest freezer"},
    {"refrigerator", Role::fridge, "fridge|large fridge|refrigerator"},
    {"otherfurniture", Role::laundry, "clothes washing machine|dryer machine|washing machine"},
    // bathroom
    {"bathtub", Role::bathtub, "bath|island bath"},
    {"bathtub", Role::none, "corner bathtub|jacuzzi"},
    {"otherstructure", Role::shower, "shower stall"},
    {"otherstructure", Role::none, "shower door|shower head and faucet"},
    {"showercurtain", Role::none, "shower curtain"},
    {"toilet", Role::toilet, "toilets unit"},
    {"toilet", Role::none, "bidet|urinal|potty"},
    {"sink", Role::basin, "washbasin|vanity|double vanity|small lavatory"},
    {"otherprop", Role::bath_wall_thing, "toilet paper dispenser"},
    {"towel", Role::bath_wall_thing, "towel rack"},
    {"towel", Role::none, "towel"},
    {"otherprop", Role::bath_floor_thing, "clothes basket"},
    {"otherprop", Role::none, "toilet brush|basin"},
    {"otherprop", Role::bath_prop, "bottle|brush|cosmetics pot|flacon|medicine bottle|medicine box|soap"},
    {"otherprop", Role::none, "comb|lip stick|sponge"},
    // appliances on furniture and walls
    {"television", Role::tv, "tv|tv 16:9"},
    {"television", Role::wall_tv, "wall flat tv"},
    // lamps
    {"lamp", Role::table_lamp, "lamp|little lamp|desk lamp|pedestal vase lamp|japanese lantern"},
    {"lamp", Role::ceiling_lamp, "hanging light|pendant lamp|ceiling lamp"},
    {"lamp",
     Role::none,
     "chandelier lamp|candle|camping lamp|flashlight|fluorescent light|fluorescent strip|outdoor lamp|"
     "porch light|street lamp|street light|classic lamppost|park light|track lights|"
     "wall lamp artwork|wall light|wall spotlight"},
    // plants
    {"otherprop", Role::large_plant, "decorative plant|ficus|indoor plant|plant|spathiphyllum|yucca"},
    {"otherprop",
     Role::small_plant,
     "bamboo|bonsai tree|cactus|flowers|little plant|orchids|succulent plant|"
     "spider plant|tulips|white lily"},
    {"otherprop", Role::none, "christmas tree|plant box|flower box"},
    // textiles
    {"floormat", Role::rug, "oriental rug|round carpet"},
    {"floormat", Role::bath_mat, "bathmat"},
    {"floormat", Role::none, "doormat|tatami"},
    {"curtain", Role::curtain, "curtain"},
    {"blinds", Role::blind, "window blind"},
    // on walls
    {"otherstructure", Role::radiator, "radiator"},
    {"otherprop", Role::wall_thing, "cuckoo clock|dart game|thermometer"},
    {"otherprop",
     Role::none,
     "air conditioning - internal unit|cctv|surveillance camera|intercom|intercom with screen|"
     "emergency sign|number lock|smoke detector|wall hanger|clothes hanger|wire coathanger|"
     "ceiling fan|electric water heater|gaz water heater"},
    {"otherprop",
     Role::wall_switch,
     "wall switch|wall double switch|wall dimmer switch|square switch|square double switch|"
     "square dimmer switch|rounded switch|rounded double switch|rounded dimmer switch"},
    {"otherprop",
     Role::wall_socket,
     "wall socket|wall double socket|wall type a plug|wall type b plug|wall type c plug|"
     "wall type e plug|wall type g plug|wall antenna plug|wall rj45 plug|"
     "square type a plug|square type b plug|square type c plug|square type e plug|"
     "square type g plug|square antenna plug|square rj45 plug|rounded type a plug|"
     "rounded type b plug|rounded type c plug|rounded type e plug|rounded type g plug|"
     "rounded antenna plug|rounded rj45 plug"},
    // small things for the living room
    {"books", Role::living_prop, "book"},
    {"paper", Role::living_prop, "newspaper"},
    {"otherprop",
     Role::living_prop,
     "vase|tv remote control|chessboard|frame chambord|frame hôi an|bowl with fruits|radio|"
     "mini stereo|dvd player|playstation|joystick|stereo amplifier|mp3 station|mp3 base|"
     "speaker|video projector"},
    {"otherprop", Role::none, "aquarium|electric guitar|keyboard|deer|ashtray|hashtray|glasses|sunglasses|gift"},
    // for desks
    {"otherprop",
     Role::desk_prop,
     "apple imac 1998|apple imac 2004|laptop|apple ibook|phone|wireless phone|penbox|calendar|"
     "inkjet printer and scanner|table fan|rigged fan|headphones|tablet|stapler|camera|"
     "reflex camera"},
    {"paper", Role::desk_prop, "letter tray"},
    {"paper", Role::none, "bill 10€|bill 20€|bill 50€"},
    {"otherprop", Role::none, "scissors|ruler|text marker|pencil|mobile phone|apple iphone|keys|tape"},
    // for kitchens and dining tables
    {"otherprop",
     Role::kitchen_prop,
     "apples|bowl|bowl with salad|bread|bread box|blender|boiler|chopping board|coffee brewer|"
     "coffee cup|coffee machine|coffee maker|coffee mug|coffee press|cooker|creamer|cup|"
     "cup cake|birthday cake|deep fryer|espresso kettle|kitchen scale|"
     "large pan|microwave|milk|mixer|oil servers|old jar|oval plate|paper towel holder|"
     "plastic cup|plate|pottery|roasted chicken|salt shaker|sandwich maker|small oven|"
     "spice tower|squeezer|sugar|sushi tray|teapot|toaster|tray|utensils pot|wine bottle|"
     "glass|hamburger|hot dog|yogurt bottle|beer bottle|beer glass|"
     "cocktail glass|plate, glass and cutlery|plate, glasses and cutlery|"
     "stone grill device"},
    {"otherprop",
     Role::none,
     "baby bottle|butter|electronic scale|fork|french fries|kitchen knife|kitchen tools|knife|"
     "knife stand|spoon|steak|tool|broom|shopping basket|spray bottle"},
    // for bedrooms
    {"otherprop",
     Role::bedroom_prop,
     "clock|teddy bear|toy train|car model|rubik's cube|wood toy|biplane|doll|xylophone"},
    {"bag", Role::bedroom_prop, "handbag"},
    {"clothes", Role::bedroom_prop, "hat|cap|folded clothes"},
    {"clothes",
     Role::none,
     "bootie|dress|glove|hanging clothes|jacket|mocassin|short|skirt|slippers|sneakers|socket|suit|"
     "trousers|woman shoes"},
    {"otherprop", Role::none, "card game|puzzle|helmet|ring|watch"},
    // on the floor
    {"bag", Role::bedroom_floor_thing, "suitcase|backpack|briefcase"},
    {"box", Role::floor_thing, "cardboard box|open cardboard box|trunck|crate"},
    {"otherprop", Role::bedroom_floor_thing, "rocking horse|doll house|basketball|soccer ball"},
    {"otherfurniture", Role::none, "clothes rack|clothes horse"},
    {"otherprop", Role::bin, "bullet trash can|dustbin|recycling bin|park trashcan|residential trashcan"},
    {"otherprop", Role::office_floor_thing, "water cooler"},
    {"whiteboard", Role::whiteboard, "white board"},
    {"otherfurniture", Role::piano, "upright piano"},
    {"otherfurniture",
     Role::none,
     "grand piano|flipper|fitness tower|treadmill|indoor bike|abdominal bench|step ladder|"
     "small step ladder"},
    {"otherstructure", Role::fireplace, "fireplace"},
    {"otherstructure", Role::none, "chimney|round chimney|furnace|fence|iron railing|pallet|shipping container"},
    {"otherprop",
     Role::none,
     "barrel|cone|cutting pliers|drill|extinguisher|grinder|hammer|mower|punching ball|saw|"
     "screwdriver|shovel|table tennis bat|tape measure|tennis racket|umbrella|wood logs"},
    // categories that are left out by default
    {"person", Role::visitor, "female|male|man|woman|boy|girl|mannequin male|mannequin female"},
};

/// Words that decide for names the table does not know, first match wins.
struct WordRow {
  std::string_view word, semantic;
  Role role;
};
inline constexpr WordRow kWordTable[] = {
    {"armchair", "chair", Role::armchair},
    {"nightstand", "nightstand", Role::bedside},
    {"bedside", "nightstand", Role::bedside},
    {"bookcase", "bookshelf", Role::bookcase},
    {"bookshelf", "bookshelf", Role::bookcase},
    {"shelves", "shelves", Role::none},
    {"sofa", "sofa", Role::none},
    {"couch", "sofa", Role::none},
    {"stool", "chair", Role::none},
    {"chair", "chair", Role::none},
    {"desk", "desk", Role::none},
    {"table", "table", Role::none},
    {"bed", "bed", Role::none},
    {"wardrobe", "cabinet", Role::wardrobe},
    {"cabinet", "cabinet", Role::none},
    {"dresser", "dresser", Role::none},
    {"lamp", "lamp", Role::none},
    {"light", "lamp", Role::none},
    {"television", "television", Role::none},
    {"fridge", "refrigerator", Role::none},
    {"refrigerator", "refrigerator", Role::none},
    {"toilet", "toilet", Role::none},
    {"sink", "sink", Role::none},
    {"basin", "sink", Role::none},
    {"bathtub", "bathtub", Role::none},
    {"curtain", "curtain", Role::none},
    {"blind", "blinds", Role::none},
    {"mirror", "mirror", Role::none},
    {"picture", "picture", Role::none},
    {"painting", "picture", Role::none},
    {"rug", "floormat", Role::none},
    {"carpet", "floormat", Role::none},
    {"pillow", "pillow", Role::none},
    {"cushion", "pillow", Role::none},
    {"books", "books", Role::none},
    {"book", "books", Role::none},
    {"towel", "towel", Role::none},
    {"box", "box", Role::none},
    {"bag", "bag", Role::none},
    {"door", "door", Role::none},
    {"window", "window", Role::none},
    {"person", "person", Role::visitor},
};

}  // namespace simulacra::rooms
