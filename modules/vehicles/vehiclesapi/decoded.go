package vehiclesapi

import "time"

// Decoded is what a VIN says about a vehicle. A text is "" and a number is nil if it is not known, or if there are candidates.
type Decoded struct {
	VIN   string `json:"vin" doc:"In upper case, without separators." example:"1HGCM82633A004352"`
	Valid bool   `json:"valid" doc:"Whether it has the form of a VIN. The check digit does not matter."`

	Year          *int     `json:"year" doc:"Model year." example:"2003"`
	YearUncertain bool     `json:"year_uncertain" doc:"The VIN allows other model years: manufacturers outside North America need not encode it."`
	PossibleYears []int    `json:"possible_years" nullable:"false"`
	Make          string   `json:"make" example:"Honda"`
	PossibleMakes []string `json:"possible_makes" nullable:"false" doc:"Set if there are several."`
	Model         string   `json:"model" example:"Accord"`
	// PossibleModels and Candidates have at most 10 values each.
	PossibleModels []string `json:"possible_models" nullable:"false" doc:"Set if there are several."`
	Series         string   `json:"series"`
	Trim           string   `json:"trim" example:"EX-V6"`

	Type        Type   `json:"type" doc:"Vehicle type on load boards." example:"coupe"`
	BodyClass   string `json:"body_class" doc:"Body class of vPIC." example:"Coupe"`
	VehicleType string `json:"vehicle_type" doc:"Vehicle type of vPIC." example:"Passenger Car"`

	Doors         *int       `json:"doors"`
	Fuel          string     `json:"fuel" example:"Gasoline"`
	SecondFuel    string     `json:"second_fuel"`
	Displacement  *float64   `json:"displacement_l" doc:"In liters."`
	Cylinders     *int       `json:"cylinders"`
	EngineModel   string     `json:"engine_model"`
	WeightClass   string     `json:"gvwr_class" doc:"Class of the gross vehicle weight rating." example:"1C"`
	WeightFrom    *int       `json:"gvwr_from_lb" doc:"In pounds."`
	WeightTo      *int       `json:"gvwr_to_lb" doc:"In pounds."`
	Country       string     `json:"country" doc:"Country of the manufacturer, or else the region that the first character stands for."`
	CheckDigit    string     `json:"check_digit" enum:"valid,invalid,unknown" doc:"Mandatory in North America only."`
	Source        string     `json:"source" enum:"offline,vpic" doc:"offline: all details are from the data of the service. vpic: some are from NHTSA's API."`
	FetchedAt     *time.Time `json:"fetched_at" doc:"When the API returned the details; null if the source is offline."`
	Refreshing    bool       `json:"refreshing" doc:"Whether the API is being asked for missing or old details. Repeat the request later."`
	MatchedFields int        `json:"matched_fields" doc:"How many details were found: more make the model more certain."`

	Candidates map[string][]string `json:"candidates" nullable:"false" doc:"Possible values of other details, by key, that the VIN does not distinguish."`
	Warnings   []Warning           `json:"warnings" nullable:"false"`
	Problems   []Problem           `json:"problems" nullable:"false" doc:"Why it is no VIN. Nothing is decoded."`
}

// SchemaName implements web.SchemaNamer.
func (Decoded) SchemaName() string { return "DecodedVIN" }

// Warning is a reason to look at a decoded VIN again.
type Warning struct {
	Code    string `json:"code" enum:"check_digit,year_uncertain,year_differs,partial,legacy,unknown_manufacturer,no_details,ambiguous_make,ambiguous_model"`
	Message string `json:"message"`
}

// SchemaName implements web.SchemaNamer.
func (Warning) SchemaName() string { return "VINWarning" }

// Problem is why a text is no VIN.
type Problem struct {
	Position  int    `json:"position" doc:"From 1; 0 for the whole text."`
	Character string `json:"character"`
	Message   string `json:"message"`
	Hint      string `json:"hint" doc:"The character that was probably meant."`
}

// SchemaName implements web.SchemaNamer.
func (Problem) SchemaName() string { return "VINProblem" }

// Listed is a vehicle in a listing.
type Listed struct {
	Count      int      `json:"count" doc:"How many there are."`
	Year       *int     `json:"year"`
	Make       string   `json:"make"`
	Model      string   `json:"model" doc:"As it is written if it is not known."`
	Known      bool     `json:"model_known" doc:"Whether the make has this model, by the catalog or by the VIN. Otherwise, the confidence is below 0.8."`
	Trim       string   `json:"trim"`
	Type       Type     `json:"type"`
	VIN        string   `json:"vin"`
	Operable   *bool    `json:"operable" doc:"Null if the listing does not say."`
	Conditions []string `json:"conditions" nullable:"false" enum:"no_start,no_roll,no_steer,no_brakes,no_keys,flat_tires,no_tires,frame_damage,forklift,rolls,steers,lifted,lowered"`
	Confidence float64  `json:"confidence" minimum:"0" maximum:"1"`
	Rest       string   `json:"rest" doc:"What was not understood."`
	Text       string   `json:"text" doc:"The part of the listing."`
}

// SchemaName implements web.SchemaNamer.
func (Listed) SchemaName() string { return "ListedVehicle" }

// Named is a vehicle whose parts came apart. Texts are as people wrote them.
type Named struct {
	VIN, Make, Model string
	Year             int // 0 if it is not known
	// Kind is what kind of vehicle it is: "SUV", "pickup truck".
	Kind string
}

// Asked is a VIN to decode, with the model year if it is known, 0 otherwise.
type Asked struct {
	VIN  string
	Year int
}
