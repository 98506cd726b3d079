package listing

// ModelAliases is the table of other names of models.
func ModelAliases() map[string]map[string]string { return modelAliases }
