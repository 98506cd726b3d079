package regulatorapi

import (
	"strconv"
	"time"
)

// Outcome says what came of asking a source. An empty answer is no error, and an error is no empty answer.
type Outcome string

// The outcomes.
const (
	Rows        Outcome = "rows"        // the source was read, and has it
	None        Outcome = "none"        // the source was read whole, and has nothing
	Unavailable Outcome = "unavailable" // the source was not read, or not whole
)

// Source says where a group of facts is from, and of when.
type Source struct {
	Name    string  `json:"name" doc:"Name of the source." example:"census"`
	Outcome Outcome `json:"outcome" enum:"rows,none,unavailable"`
	// AsOf is the day of the set, or the time of the vendor's answer; nil if nothing was read.
	AsOf *time.Time `json:"as_of" doc:"Of when the source is; null if it was not read."`
	Why  string     `json:"why,omitempty" doc:"Why the source is unavailable."`
}

// Known reports whether the source was read, whether or not it has something.
func (s Source) Known() bool { return s.Outcome == Rows || s.Outcome == None }

// Date is a day as YYYY-MM-DD, which sorts by time; "" is unknown. The regulator's days have no zone.
type Date string

// Time returns the beginning of the day in UTC; false if the day is unknown.
func (d Date) Time() (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, string(d))

	return t, err == nil
}

// Dollars is an amount in whole US dollars. It is a decimal string in JSON.
type Dollars int64

// MarshalText implements encoding.TextMarshaler.
func (d Dollars) MarshalText() ([]byte, error) {
	return []byte(strconv.FormatInt(int64(d), 10) + ".00"), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Dollars) UnmarshalText(text []byte) error {
	amount, err := strconv.ParseFloat(string(text), 64)
	*d = Dollars(amount)

	return err
}

// Facts are all that is known of a USDOT number. Each group has its own sources: what one does not know, another may.
type Facts struct {
	USDOT       int64       `json:"usdot"`
	Identity    Identity    `json:"identity"`
	Operation   Operation   `json:"operation"`
	Authority   Authority   `json:"authority"`
	Insurance   Insurance   `json:"insurance"`
	Safety      Safety      `json:"safety"`
	Inspections Inspections `json:"inspections"`
	Sharing     Sharing     `json:"sharing"`
	// Sources are those of all groups, each once, in the order of their names.
	Sources []Source `json:"sources"`
}

// Address is where a carrier is, as the regulator has it.
type Address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	State   string `json:"state"`
	ZIP     string `json:"zip"`
	Country string `json:"country"`
}

// Identity is who the carrier is: the census.
type Identity struct {
	Source    Source  `json:"source"`
	LegalName string  `json:"legal_name"`
	DBA       string  `json:"dba"`
	Physical  Address `json:"physical"`
	Mailing   Address `json:"mailing"`
	// Phone is E.164 if it is a number, otherwise as it was written. Email is folded to lower case.
	Phone       string   `json:"phone"`
	CellPhone   string   `json:"cell_phone"`
	Email       string   `json:"email"`
	Officers    []string `json:"officers"`
	MCS150      Date     `json:"mcs150_date"`
	Added       Date     `json:"added_date"`
	PowerUnits  *int64   `json:"power_units"`
	Drivers     *int64   `json:"drivers"`
	Cargo       []string `json:"cargo" doc:"Names of the census' cargo flags that are set, without crgo_."`
	MotorCars   bool     `json:"motor_vehicles" doc:"Cargo: motor vehicles."`
	DriveAway   bool     `json:"drive_away" doc:"Cargo: drive-away and tow-away."`
	Undelivered Date     `json:"undeliverable_since" doc:"Since when mail comes back."`
}

// CarHauler reports whether the carrier says that it moves vehicles; false too if the census is not known.
func (i Identity) CarHauler() bool { return i.MotorCars || i.DriveAway }

// Status is the status of a registration or of an authority.
type Status string

// The statuses.
const (
	StatusUnknown   Status = "unknown"
	StatusActive    Status = "active"
	StatusInactive  Status = "inactive"
	StatusPending   Status = "pending"
	StatusWithdrawn Status = "withdrawn"
	StatusRevoked   Status = "revoked"
	StatusSuspended Status = "suspended"
)

// Operation is whether the carrier may operate at all.
type Operation struct {
	Source Source `json:"source"`
	// Allowed is the live allowedToOperate; nil if no live source has said it.
	Allowed *bool `json:"allowed_to_operate"`
	// Status is that of the USDOT number.
	Status           Status `json:"status"`
	OutOfServiceDate Date   `json:"out_of_service_date"`
	OutOfService     string `json:"out_of_service_reason"`
	// Interstate and ForHire are nil if it is unknown.
	Interstate *bool `json:"interstate"`
	ForHire    *bool `json:"for_hire"`
}

// AuthorityType is what an authority is for.
type AuthorityType string

// The types of authorities.
const (
	PropertyCarrier  AuthorityType = "property_carrier"
	HouseholdCarrier AuthorityType = "household_goods_carrier"
	PassengerCarrier AuthorityType = "passenger_carrier"
	Broker           AuthorityType = "broker"
	HouseholdBroker  AuthorityType = "household_goods_broker"
	Forwarder        AuthorityType = "forwarder"
	Enterprise       AuthorityType = "enterprise_carrier"
	OtherAuthority   AuthorityType = "other"
)

// Authority is what the carrier may do for hire.
type Authority struct {
	// Source is the one that decided; Others are the further ones that were asked.
	Source Source   `json:"source"`
	Others []Source `json:"other_sources"`
	Grants []Grant  `json:"grants"`
	// Dockets are all that the USDOT number has, the active ones first.
	Dockets []DocketStatus `json:"dockets"`
	// Property and Broker are nil if it is unknown whether an authority of that type is active.
	Property *bool `json:"property_active"`
	Broker   *bool `json:"broker_active"`
	// EarliestGrant is the first grant of a carrier authority of property, in any source: corrections are none.
	EarliestGrant Date   `json:"earliest_grant"`
	GrantSource   string `json:"earliest_grant_source"`
	// Reinstated is the last time that an authority of property was granted again after a pause, and SleptDays how
	// long the pause was.
	Reinstated Date `json:"reinstated_date"`
	SleptDays  int  `json:"slept_days"`
	// PendingSuspension is the earliest notice of a suspension or revocation that has not been withdrawn, even if its day is past.
	PendingSuspension *Suspension `json:"pending_suspension"`
}

// Grant is one authority of a carrier.
type Grant struct {
	Type    AuthorityType `json:"type"`
	Text    string        `json:"text" doc:"The type as the source has it."`
	Docket  string        `json:"docket"`
	Status  Status        `json:"status"`
	Granted Date          `json:"granted_date"`
	Source  string        `json:"source"`
}

// DocketStatus is a docket and whether an authority under it is active.
type DocketStatus struct {
	Number string `json:"number" example:"MC-139446"`
	Status Status `json:"status"`
}

// Suspension is a notice that an authority is to end.
type Suspension struct {
	Docket    string `json:"docket"`
	Type      string `json:"type"`
	Served    Date   `json:"served_date"`
	Effective Date   `json:"effective_date"`
	Source    string `json:"source"`
}

// InsuranceKind is a kind of filing.
type InsuranceKind string

// The kinds of filings.
const (
	Liability InsuranceKind = "liability" // BIPD
	Cargo     InsuranceKind = "cargo"
	Bond      InsuranceKind = "bond"
	TrustFund InsuranceKind = "trust_fund"
)

// Insurance is what stands on file today. A filing is no certificate, and has no end but a cancellation.
type Insurance struct {
	Source  Source   `json:"source"`
	Others  []Source `json:"other_sources"`
	Filings []Filing `json:"filings"`
	// Liability, Cargo and Surety (bond or trust fund) sum up the filings of their kinds.
	Liability OnFile `json:"liability"`
	Cargo     OnFile `json:"cargo"`
	Surety    OnFile `json:"surety"`
}

// OnFile is what is on file of one kind.
type OnFile struct {
	// Outcome is unavailable if it cannot be said what is on file: Why says the reason. None is nothing on file.
	Outcome Outcome `json:"outcome" enum:"rows,none,unavailable"`
	Why     string  `json:"why,omitempty"`
	// Amount is the cover on file, of primary and excess filings together; Required is what the regulator asks for. Both are nil if
	// unknown. A live source says both in thousands.
	Amount   *Dollars `json:"amount" doc:"US dollars." example:"750000.00"`
	Required *Dollars `json:"required" doc:"US dollars." example:"750000.00"`
	// Cancels is when the last filing ends, "" if one has no cancellation; a filing that follows is a replacement.
	Cancels Date   `json:"cancels_date"`
	Source  string `json:"source"`
}

// Filing is an insurer's filing that stands.
type Filing struct {
	Kind       InsuranceKind `json:"kind"`
	Form       string        `json:"form" example:"91X"`
	Insurer    string        `json:"insurer"`
	Policy     string        `json:"policy"`
	Amount     *Dollars      `json:"amount" doc:"US dollars." example:"750000.00"`
	Underlying *Dollars      `json:"underlying" doc:"US dollars." example:"750000.00"`
	Excess     bool          `json:"excess"`
	Effective  Date          `json:"effective_date"`
	Cancels    Date          `json:"cancels_date"`
	Docket     string        `json:"docket"`
	Source     string        `json:"source"`
}

// Safety is the safety rating.
type Safety struct {
	Source Source `json:"source"`
	// Rating is satisfactory, conditional or unsatisfactory; "" if the carrier has none, which is normal.
	Rating string `json:"rating"`
	Rated  Date   `json:"rating_date"`
	Review Date   `json:"review_date"`
}

// Inspections are the inspections of two years.
type Inspections struct {
	Source  Source  `json:"source"`
	Vehicle OOSRate `json:"vehicle"`
	Driver  OOSRate `json:"driver"`
	Crashes *int64  `json:"crashes"`
}

// OOSRate is how many inspections put something out of service; all is nil if it is unknown.
type OOSRate struct {
	Inspections  *int64 `json:"inspections"`
	OutOfService *int64 `json:"out_of_service"`
	// Percent and National are percentages: 5.51.
	Percent  *float64 `json:"percent"`
	National *float64 `json:"national_percent"`
}

// Sharing is how many USDOT numbers of the census have the same phone, e-mail or address, this one among them; 0 if it has
// none. Many under one phone are a sign of a chameleon carrier.
type Sharing struct {
	Source  Source `json:"source"`
	Phone   int    `json:"phone"`
	Email   int    `json:"email"`
	Address int    `json:"address"`
}
