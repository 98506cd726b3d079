package registry

// Match is a carrier that Lookup has found.
type Match struct {
	USDOT     int64    `json:"usdot"`
	LegalName string   `json:"legal_name"`
	DBA       string   `json:"dba"`
	City      string   `json:"city"`
	State     string   `json:"state"`
	Dockets   []string `json:"dockets"`
	// Active is the status of the USDOT number, not of an authority.
	Active    bool `json:"active"`
	CarHauler bool `json:"car_hauler"`
}
