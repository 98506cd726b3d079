package vehicles

// settings are the keys under modules.vehicles.
type settings struct {
	DataFile string `config:"data_file" doc:"A newer file of vehicle data, made by tools/vpic. Empty uses the data in the binary. It is read when it is first needed."`
}

func defaults() settings { return settings{} }
