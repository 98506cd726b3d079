package listing

import (
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// All keys are in lower case, without spaces and punctuation: "non-runner" is nonrunner. A phrase has at most [longestPhrase] words.

// alias is another name of a make. The words of one that keeps stay for the model.
type alias struct {
	make  string
	keeps bool
}

var aliases = map[string]alias{
	"chevy": {make: "Chevrolet"}, "chev": {make: "Chevrolet"}, "chevrolett": {make: "Chevrolet"}, "vw": {make: "Volkswagen"}, "volkswagon": {make: "Volkswagen"},
	"merc": {make: "Mercedes-Benz"}, "mercedes": {make: "Mercedes-Benz"}, "benz": {make: "Mercedes-Benz"}, "mb": {make: "Mercedes-Benz"},
	"rangerover": {"Land Rover", true}, "beemer": {make: "BMW"}, "bimmer": {make: "BMW"}, "caddy": {make: "Cadillac"}, "caddilac": {make: "Cadillac"},
	"harley": {make: "Harley-Davidson"}, "hd": {make: "Harley-Davidson"}, "indian": {make: "Indian Motorcycle"}, "vespa": {make: "Piaggio and Vespa"},
	"lambo": {make: "Lamborghini"}, "rolls": {make: "Rolls-Royce"}, "jag": {make: "Jaguar"}, "toyo": {make: "Toyota"}, "hyndai": {make: "Hyundai"},
	"hundai": {make: "Hyundai"}, "subie": {make: "Subaru"}, "mitsu": {make: "Mitsubishi"}, "olds": {make: "Oldsmobile"}, "fuso": {make: "Mitsubishi Fuso"},
	"cat": {make: "Caterpillar"}, "vnl": {"Volvo Truck", true}, "vnr": {"Volvo Truck", true}, "mini": {make: "MINI"},
	"alfa": {make: "Alfa Romeo"}, "aston": {make: "Aston Martin"}, "landrover": {make: "Land Rover"}, "infinity": {make: "Infiniti"},
	"mercedesamg": {make: "Mercedes-Benz"}, "mercedesmaybach": {make: "Mercedes-Benz"},
	"porshe": {make: "Porsche"}, "maserrati": {make: "Maserati"}, "pete": {make: "Peterbilt"}, "kw": {make: "Kenworth"}, "frieghtliner": {make: "Freightliner"},
	"canam": {make: "Can-Am"}, "winnebago": {make: "Winnebago"}, "oldsmobile": {make: "Oldsmobile"}, "nissian": {make: "Nissan"},
}

// ordinary has words that are also names of models or makes. They count as models only beside their make.
var ordinary = map[string]bool{
	"sport": true, "limited": true, "base": true, "touring": true, "custom": true, "standard": true, "classic": true, "premium": true, "deluxe": true,
	"lowboy": true, "flatbed": true, "utility": true, "cargo": true, "commercial": true, "conventional": true, "chassis": true, "bus": true,
	"van": true, "truck": true, "car": true, "trailer": true, "motorcycle": true, "scooter": true, "pickup": true, "crew": true, "cab": true,
	"crewcab": true, "enclosed": true, "open": true, "dump": true, "tank": true, "tanker": true, "boat": true, "box": true, "the": true, "and": true,
	"with": true, "for": true, "from": true, "runs": true, "run": true, "drives": true, "rolls": true, "keys": true, "none": true, "new": true,
	"used": true, "good": true, "clean": true, "title": true, "red": true, "blue": true, "black": true, "white": true, "silver": true, "gold": true,
	"green": true, "gray": true, "grey": true, "orange": true, "yellow": true, "purple": true, "brown": true, "one": true, "two": true, "three": true,
	"door": true, "auto": true, "automatic": true, "manual": true, "gas": true, "diesel": true, "hybrid": true, "electric": true, "turbo": true,
	"series": true, "class": true, "sedan": true, "coupe": true, "convertible": true, "wagon": true, "hatchback": true, "suv": true, "minivan": true,
	"rv": true, "camper": true, "motorhome": true, "tractor": true, "loader": true, "dozer": true, "excavator": true, "forklift": true, "crane": true,
	"bike": true, "chopper": true, "trike": true, "quad": true, "atv": true, "utv": true, "light": true, "heavy": true, "power": true, "star": true,
	"eagle": true, "king": true, "ranch": true, "big": true, "small": true, "mini": true, "super": true, "ultra": true, "freedom": true,
	"liberty": true, "rear": true, "front": true, "wheel": true, "steel": true, "gooseneck": true, "livestock": true, "stock": true, "horse": true,
	"carhauler": true, "hauler": true, "concession": true, "special": true, "express": true, "sl": true, "lt": true, "le": true, "se": true, "xl": true,
	"gt": true, "ex": true, "lx": true, "ls": true, "rs": true, "ss": true, "st": true, "on": true, "in": true, "no": true, "to": true, "at": true,
	"of": true, "is": true, "it": true, "ft": true, "engine": true, "damage": true, "wrecked": true, "salvage": true, "delivery": true, "dealer": true,
	"auction": true, "copart": true, "iaa": true, "manheim": true, "need": true, "needs": true, "quote": true, "please": true, "ship": true,
	"shipping": true, "transport": true, "move": true, "moving": true, "miles": true, "mile": true, "home": true, "house": true, "street": true,
	"avenue": true, "north": true, "south": true, "east": true, "west": true, "texas": true, "florida": true, "california": true, "dallas": true,
	"houston": true, "austin": true, "phoenix": true, "denver": true, "monterey": true, "asap": true, "today": true, "hello": true, "hi": true,
	"thanks": true, "call": true, "me": true,
}

// typeWords are common names of types. The first in a text counts.
var typeWords = map[string]vehiclesapi.Type{
	"pickup": vehiclesapi.Pickup, "pickuptruck": vehiclesapi.Pickup, "crewcab": vehiclesapi.Pickup, "quadcab": vehiclesapi.Pickup, "extendedcab": vehiclesapi.Pickup,
	"extcab": vehiclesapi.Pickup, "regularcab": vehiclesapi.Pickup, "megacab": vehiclesapi.Pickup, "supercab": vehiclesapi.Pickup, "supercrew": vehiclesapi.Pickup,
	"doublecab": vehiclesapi.Pickup, "dually": vehiclesapi.Dually, "drw": vehiclesapi.Dually, "dualie": vehiclesapi.Dually,
	"sedan": vehiclesapi.Sedan, "saloon": vehiclesapi.Sedan, "coupe": vehiclesapi.Coupe, "convertible": vehiclesapi.Convertible, "cabriolet": vehiclesapi.Convertible,
	"cabrio": vehiclesapi.Convertible, "roadster": vehiclesapi.Convertible, "spyder": vehiclesapi.Convertible,
	"droptop": vehiclesapi.Convertible, "hatchback": vehiclesapi.Hatchback, "hatch": vehiclesapi.Hatchback, "wagon": vehiclesapi.Wagon, "estate": vehiclesapi.Wagon,
	"suv": vehiclesapi.SUV, "crossover": vehiclesapi.SUV, "van": vehiclesapi.Van, "cargovan": vehiclesapi.Van, "passengervan": vehiclesapi.Van,
	"stepvan": vehiclesapi.Van, "minivan": vehiclesapi.Minivan, "car": vehiclesapi.Car, "exotic": vehiclesapi.Exotic, "supercar": vehiclesapi.Exotic,
	"motorcycle": vehiclesapi.Motorcycle, "bike": vehiclesapi.Motorcycle, "motorbike": vehiclesapi.Motorcycle, "chopper": vehiclesapi.Motorcycle,
	"scooter": vehiclesapi.Motorcycle, "moped": vehiclesapi.Motorcycle, "trike": vehiclesapi.Motorcycle, "dirtbike": vehiclesapi.Motorcycle,
	"atv": vehiclesapi.ATV, "utv": vehiclesapi.ATV, "quad": vehiclesapi.ATV, "fourwheeler": vehiclesapi.ATV, "4wheeler": vehiclesapi.ATV,
	"sidebyside": vehiclesapi.ATV, "sxs": vehiclesapi.ATV, "snowmobile": vehiclesapi.ATV, "golfcart": vehiclesapi.ATV, "gokart": vehiclesapi.ATV,
	"boat": vehiclesapi.Boat, "pontoon": vehiclesapi.Boat, "pontoonboat": vehiclesapi.Boat, "bassboat": vehiclesapi.Boat, "sailboat": vehiclesapi.Boat,
	"jetski": vehiclesapi.Boat, "jetskis": vehiclesapi.Boat, "waverunner": vehiclesapi.Boat, "yacht": vehiclesapi.SmallYacht, "smallyacht": vehiclesapi.SmallYacht,
	"largeyacht": vehiclesapi.LargeYacht, "rv": vehiclesapi.RV, "recreationalvehicle": vehiclesapi.RV, "recreationalvehiclerv": vehiclesapi.RV, "motorhome": vehiclesapi.RV, "motorcoach": vehiclesapi.RV, "classa": vehiclesapi.RV,
	"classb": vehiclesapi.RV, "classc": vehiclesapi.RV, "campervan": vehiclesapi.RV, "traveltrailer": vehiclesapi.TravelTrailer, "camper": vehiclesapi.TravelTrailer,
	"fifthwheel": vehiclesapi.TravelTrailer, "5thwheel": vehiclesapi.TravelTrailer, "popupcamper": vehiclesapi.TravelTrailer, "toyhauler": vehiclesapi.TravelTrailer,
	"trailer": vehiclesapi.Trailer, "utilitytrailer": vehiclesapi.Trailer, "flatbedtrailer": vehiclesapi.Trailer, "gooseneck": vehiclesapi.Trailer,
	"dumptrailer": vehiclesapi.Trailer, "truck": vehiclesapi.Truck, "boxtruck": vehiclesapi.Truck, "dumptruck": vehiclesapi.Truck, "semi": vehiclesapi.Truck,
	"semitruck": vehiclesapi.Truck, "daycab": vehiclesapi.Truck, "buckettruck": vehiclesapi.Truck, "straighttruck": vehiclesapi.Truck, "bus": vehiclesapi.Truck,
	"schoolbus": vehiclesapi.Truck, "firetruck": vehiclesapi.Truck, "towtruck": vehiclesapi.Truck, "excavator": vehiclesapi.HeavyEquipment,
	"miniexcavator": vehiclesapi.HeavyEquipment, "skidsteer": vehiclesapi.HeavyEquipment, "skidloader": vehiclesapi.HeavyEquipment,
	"backhoe": vehiclesapi.HeavyEquipment, "bulldozer": vehiclesapi.HeavyEquipment, "dozer": vehiclesapi.HeavyEquipment, "loader": vehiclesapi.HeavyEquipment,
	"wheelloader": vehiclesapi.HeavyEquipment, "trackloader": vehiclesapi.HeavyEquipment, "scissorlift": vehiclesapi.HeavyEquipment,
	"boomlift": vehiclesapi.HeavyEquipment, "telehandler": vehiclesapi.HeavyEquipment, "crane": vehiclesapi.HeavyEquipment, "grader": vehiclesapi.HeavyEquipment,
	"tractor": vehiclesapi.HeavyEquipment, "combine": vehiclesapi.HeavyEquipment, "roller": vehiclesapi.HeavyEquipment, "paver": vehiclesapi.HeavyEquipment,
	"trencher": vehiclesapi.HeavyEquipment,
}

// vague types are less specific than that of a model.
var vague = map[vehiclesapi.Type]bool{vehiclesapi.Car: true, vehiclesapi.Truck: true, vehiclesapi.Trailer: true, vehiclesapi.Van: true}

// state is the meaning of a phrase about the condition.
type state struct {
	code     string
	operable string // "yes", "no", or "" if it does not say
}

var states = map[string]state{
	"inop": {"", "no"}, "inoperable": {"", "no"}, "inoperative": {"", "no"}, "nonrunner": {"", "no"}, "nonrunning": {"", "no"}, "notrunning": {"", "no"},
	"nonop": {"", "no"}, "nonoperable": {"", "no"}, "notoperable": {"", "no"}, "doesntrun": {"", "no"}, "doesnotrun": {"", "no"}, "dontrun": {"", "no"},
	"wontrun": {"", "no"}, "norun": {"", "no"}, "notdrivable": {"", "no"}, "nondrivable": {"", "no"}, "undrivable": {"", "no"}, "deadbattery": {"no_start", "no"},
	"nostart": {"no_start", "no"}, "wontstart": {"no_start", "no"}, "willnotstart": {"no_start", "no"}, "doesntstart": {"no_start", "no"},
	"doesnotstart": {"no_start", "no"}, "notstarting": {"no_start", "no"}, "noroll": {"no_roll", "no"}, "wontroll": {"no_roll", "no"},
	"doesntroll": {"no_roll", "no"}, "doesnotroll": {"no_roll", "no"}, "willnotroll": {"no_roll", "no"}, "nosteer": {"no_steer", "no"},
	"nosteering": {"no_steer", "no"}, "wontsteer": {"no_steer", "no"}, "doesntsteer": {"no_steer", "no"}, "doesnotsteer": {"no_steer", "no"},
	"nobrakes": {"no_brakes", "no"}, "nobrake": {"no_brakes", "no"}, "brakesdontwork": {"no_brakes", "no"}, "nokeys": {"no_keys", "no"}, "nokey": {"no_keys", "no"},
	"missingkeys": {"no_keys", "no"}, "lostkeys": {"no_keys", "no"}, "keysmissing": {"no_keys", "no"}, "flattires": {"flat_tires", "no"},
	"flattire": {"flat_tires", "no"}, //nolint:misspell // not flatter
	"flats":    {"flat_tires", "no"}, "notires": {"no_tires", "no"}, "nowheels": {"no_tires", "no"},
	"missingwheels": {"no_tires", "no"}, "missingtires": {"no_tires", "no"}, "framedamage": {"frame_damage", ""}, "bentframe": {"frame_damage", ""},
	"forklift": {"forklift", "no"}, "forkliftneeded": {"forklift", "no"}, "forkliftrequired": {"forklift", "no"}, "needsforklift": {"forklift", "no"},
	"needforklift": {"forklift", "no"}, "rolls": {"rolls", ""}, "rolling": {"rolls", ""}, "roller": {"rolls", ""}, "steers": {"steers", ""},
	"lifted": {"lifted", ""}, "liftkit": {"lifted", ""}, "lowered": {"lowered", ""},
	"runs": {"", "yes"}, "running": {"", "yes"}, "runner": {"", "yes"}, "runsanddrives": {"", "yes"}, "runanddrive": {"", "yes"}, "runsdrives": {"", "yes"},
	"operable": {"", "yes"}, "operational": {"", "yes"}, "drives": {"", "yes"}, "drivable": {"", "yes"}, "driveable": {"", "yes"}, "starts": {"", "yes"},
	"runsgood": {"", "yes"}, "runsgreat": {"", "yes"}, "runsfine": {"", "yes"},
}

// numbers are counts in words.
var numbers = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
