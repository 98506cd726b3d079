package pricing

// Shipped is the formula of a company that has published none. Its numbers are a start, to be replaced by the company's own.
func Shipped() Formula {
	return Formula{
		Factors: []Factor{
			{Key: "tiers", Label: "Miles", Kind: kindMiles, Tiers: []Tier{{UpTo: 300, Rate: "1.10"}, {UpTo: 800, Rate: "0.85"}, {UpTo: 1500, Rate: "0.70"}, {Rate: "0.60"}}},
			{Key: "least", Label: "At least", Kind: kindMinimum, Value: "275"},
			{Key: "size_factor", Label: "Size", Kind: kindMultiply, Value: `size == "oversize" ? 1.6 : size == "xlarge" ? 1.3 : size == "large" ? 1.15 : 1`},
			{Key: "inop", Label: "Does not run", Kind: kindAdd, When: "not operable", Value: "150"},
			{Key: "enclosed", Label: "Enclosed trailer", Kind: kindMultiply, When: `transport_type == "enclosed"`, Value: "1.5"},
			{Key: "further", Label: "Second vehicle and further ones", Kind: kindMultiply, When: "position > 1", Value: "0.92"},
			{Key: "remote", Label: "Remote ends", Kind: kindAdd, When: "remote_ends > 0", Value: "75 * remote_ends"},
			{Key: "expedite", Label: "Expedited", Kind: kindPercent, When: "expedited", Value: "20"},
			{Key: "lane", Label: "Own lane", Kind: kindSet, When: "lane_loads >= 5", Value: "0.6 * lane_p50 + 0.4 * amount"},
			{Key: "round", Label: "Up to 25", Kind: kindRoundUp, Value: "25"},
			{Key: "fee", Label: "Broker fee", Of: ofFee, Kind: kindSet, Value: "max(150, carrier_pay * 0.15)"},
		},
		Options: []Option{{Key: standard, Label: "Standard"}, {Key: "priority", Label: "Priority", Percent: "10.00"}, {Key: "guaranteed", Label: "Guaranteed", Percent: "20.00"}},
	}
}

// Remote says of a zone with so many ZIP codes whether few carriers come there.
func Remote(zips int) bool {
	const few = 25

	return zips < few
}

// Sample is a transport on which a formula is tried.
type Sample struct {
	Name, From, To, Type string
	Expedited            bool
	Cars                 []Car
}

// Samples are transports of all kinds: short and long, of one vehicle and of several.
func Samples() []Sample {
	sedan, suv, pickup := Car{"Sedan", "sedan", "medium", true, false}, Car{"SUV", "suv", "large", true, false}, Car{"Pickup", "pickup", "large", true, true}
	dead, van, bike := Car{"Sedan that does not run", "sedan", "medium", false, false}, Car{"Van", "van", "xlarge", true, false}, Car{"Motorcycle", "motorcycle", "small", true, false}
	boat, exotic := Car{"Boat", "boat", "oversize", true, false}, Car{"Exotic", "exotic", "medium", true, false}
	one := func(name, from, to string, cars ...Car) Sample { return Sample{name, from, to, "open", false, cars} }

	return []Sample{
		one("A sedan, Dallas to Miami", "75201", "33101", sedan),
		one("A sedan, New York to Los Angeles", "10001", "90001", sedan),
		one("A sedan, Detroit to Cleveland", "48201", "44101", sedan),
		one("A sedan, Oakland to San Jose", "94601", "95101", sedan),
		one("An SUV, Chicago to Seattle", "60601", "98101", suv),
		one("A pickup, Houston to Atlanta", "77001", "30301", pickup),
		one("A van, Phoenix to Denver", "85001", "80201", van),
		one("A motorcycle, Boston to Orlando", "02108", "32801", bike),
		one("A boat, Tampa to Nashville", "33602", "37201", boat),
		one("A sedan that does not run, Dallas to Chicago", "75201", "60601", dead),
		one("Two sedans, Los Angeles to Phoenix", "90001", "85001", sedan, sedan),
		one("Three SUVs, Atlanta to Dallas", "30301", "75201", suv, suv, suv),
		one("Nine sedans, Chicago to Dallas", "60601", "75201", sedan, sedan, sedan, sedan, sedan, sedan, sedan, sedan, sedan),
		one("A sedan and one that does not run, Miami to New York", "33101", "10001", sedan, dead),
		one("A sedan, Fargo to Billings", "58102", "59101", sedan),
		one("A sedan, Reno to Ely", "89501", "89301", sedan),
		{"An exotic in an enclosed trailer, Los Angeles to Miami", "90001", "33101", "enclosed", false, []Car{exotic}},
		{"A sedan, expedited, Dallas to Atlanta", "75201", "30301", "open", true, []Car{sedan}},
		{"An SUV, enclosed and expedited, Boston to Chicago", "02108", "60601", "enclosed", true, []Car{suv}},
		{"A sedan that is driven, San Francisco to Portland", "94103", "97201", "driveaway", false, []Car{sedan}},
	}
}
