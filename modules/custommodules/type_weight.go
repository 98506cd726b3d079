package custommodules

// weightType is a weight. A pound is exactly 0.45359237 kg (NIST Handbook 44, appendix C).
func weightType() fieldType {
	return measureType("weight", "lb",
		unit{"kg", "1"},
		unit{"g", "0.001"},
		unit{"t", "1000"},
		unit{"oz", "0.028349523125"},
		unit{"lb", "0.45359237"},
		unit{"cwt", "45.359237"},
		unit{"ton", "907.18474"},
	)
}
