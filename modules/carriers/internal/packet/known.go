package packet

// Known has the facts about a carrier that the company and the regulator have.
type Known struct {
	LegalName, DBA string
	USDOT, Docket  string
	Phone, Email   string
	Units          []Unit
	Lanes          []Lane
	Record         Record
}

// Record is the regulator's record of a carrier; a value is "" if the record lacks it.
type Record struct {
	LegalName string `json:"legal_name"`
	DBA       string `json:"dba"`
	Phone     string `json:"phone"`
	Email     string `json:"email"`
}

// SchemaName implements web.SchemaNamer.
func (Record) SchemaName() string { return "PacketRecord" }
