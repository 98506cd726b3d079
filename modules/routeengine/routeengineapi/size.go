package routeengineapi

// SizeOf is the size that vehicles of a type usually have, by the classes of the trade: small, medium, large, xlarge or oversize.
func SizeOf(kind string) string {
	switch kind {
	case "atv", "motorcycle":
		return "small"
	case "suv", "wagon", "minivan", "pickup":
		return "large"
	case "van", "truck", "dually":
		return "xlarge"
	case "boat", "heavy_equipment", "rv", "trailer", "travel_trailer", "large_yacht", "small_yacht":
		return "oversize"
	}

	return "medium"
}
