package custommodules

// lengthType is a length. A foot is exactly 0.3048 m (NIST Handbook 44, appendix C).
func lengthType() fieldType {
	return measureType("length", "ft",
		unit{"m", "1"},
		unit{"mm", "0.001"},
		unit{"cm", "0.01"},
		unit{"km", "1000"},
		unit{"in", "0.0254"},
		unit{"ft", "0.3048"},
		unit{"yd", "0.9144"},
		unit{"mi", "1609.344"},
	)
}
