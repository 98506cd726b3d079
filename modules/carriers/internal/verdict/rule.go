package verdict

// Severity is what a finding counts as.
type Severity string

// The severities.
const (
	Block Severity = "block"
	Warn  Severity = "warn"
	Note  Severity = "note"
	Off   Severity = "off"
)

// Rule is one thing that a verdict looks at. Its levels are tried in order, and the first that holds is the finding.
type Rule struct {
	Code  string `json:"code" doc:"Code of the rule and of its findings." example:"cargo_low"`
	Title string `json:"title" doc:"What a finding says." example:"The cargo insurance is too low"`
	Fix   string `json:"fix" doc:"What to do about it."`
	// Evidence is the fact that a finding shows; Needed the fact or threshold that it falls short of, "" for none.
	Evidence string  `json:"evidence" doc:"Fact that a finding shows."`
	Needed   string  `json:"needed,omitempty" doc:"Fact that the evidence is compared with, or threshold."`
	Levels   []Level `json:"levels" doc:"Conditions with their severities; the first that holds is the finding."`
	// Requires are facts without which the rule cannot be decided if no level holds; all that its conditions read if it is nil.
	Requires []string `json:"requires,omitempty" doc:"Facts without which the rule cannot be decided; all that its conditions read if there are none."`
	// Unknown is what the rule counts as if it cannot be decided; Note lists it as unknown alone.
	Unknown Severity `json:"unknown" enum:"block,warn,note,off" doc:"Severity if the rule cannot be decided; note lists it as unknown, off says nothing."`
}

// Level is a condition and what it counts as.
type Level struct {
	Severity Severity `json:"severity" enum:"block,warn,note,off"`
	When     string   `json:"when" doc:"Condition over the facts, in the language of formulas." example:"cargo_cover < threshold"`
	// Threshold is the number that the condition calls threshold, "" for none.
	Threshold string `json:"threshold,omitempty" doc:"Number that the condition calls threshold." example:"100000"`
}

// Defaults are the rules of a company that has changed none. The regulator's own limits are in its facts; the others are
// those that brokers of vehicle transport commonly ask for.
var Defaults = []Rule{
	{
		Code: "not_allowed", Title: "The regulator does not allow the carrier to operate",
		Fix: "Use another carrier until the regulator allows this one to operate again.", Evidence: "usdot_status", Requires: []string{"usdot_status"}, Unknown: Note,
		Levels: []Level{{Severity: Block, When: `allowed_to_operate == false or usdot_status == "inactive" or out_of_service != nil`}},
	},
	{
		Code: "no_number", Title: "The carrier has no USDOT number and no docket",
		Fix: "Enter the carrier's USDOT number or docket.", Evidence: "has_number", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "saved and not has_number"}},
	},
	{
		Code: "not_in_registry", Title: "The regulator has no carrier with this number",
		Fix: "Check the number with the carrier. A number that was issued in the last days appears with the next census.", Evidence: "registered", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "registered == false"}},
	},
	{
		Code: "name_differs", Title: "The carrier's name differs from the one on the regulator's record",
		Fix: "Check the number, and call the phone number on the regulator's record.", Evidence: "legal_name", Needed: "record_name", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "name_on_record == false"}},
	},
	{
		Code: "no_authority", Title: "The carrier has no active authority to carry property for hire",
		Fix: "Ask for the active docket, or use another carrier.", Evidence: "property_authority",
		Requires: []string{"property_authority"}, Unknown: Warn,
		Levels: []Level{{
			Severity: Block, When: "property_authority == false and broker_authority != true and interstate != false and for_hire != false",
		}},
	},
	{
		Code: "broker_only", Title: "Only the broker authority is active: the company may not carry loads itself",
		Fix: "Ask who carries the load, and check that carrier.", Evidence: "broker_authority", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "property_authority == false and broker_authority == true"}},
	},
	{
		Code: "authority_pending_revocation", Title: "The authority is about to be suspended or revoked",
		Fix: "Wait until the notice is withdrawn.", Evidence: "suspension_effective", Needed: "threshold", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "days_to_suspension <= threshold", Threshold: "7"}},
	},
	{
		Code: "authority_young", Title: "The authority was granted recently",
		Fix: "Check references and the identity of the carrier.", Evidence: "authority_days", Needed: "threshold", Unknown: Note,
		Levels: []Level{
			{Severity: Block, When: "authority_days < threshold", Threshold: "30"},
			{Severity: Warn, When: "authority_days < threshold", Threshold: "180"},
		},
	},
	{
		Code: "bipd_low", Title: "The liability insurance on file is below the amount that the regulator requires",
		Fix: "Ask the carrier to have its insurer file the policy.", Evidence: "liability_on_file", Needed: "liability_required",
		Requires: []string{"liability_on_file"}, Unknown: Note,
		Levels: []Level{{Severity: Block, When: "liability_on_file < liability_required"}},
	},
	{
		Code: "bipd_cancelling", Title: "The liability insurance is being cancelled without a replacement",
		Fix: "Ask for the filing of the new policy.", Evidence: "liability_cancels", Unknown: Off,
		Levels: []Level{
			{Severity: Block, When: "days_to_liability_end <= 0"},
			{Severity: Warn, When: "days_to_liability_end > 0"},
		},
	},
	{
		Code: "cargo_missing", Title: "There is no verified certificate of cargo insurance",
		Fix: "Ask the carrier's insurance agent for a certificate.", Evidence: "cargo_cover", Unknown: Note,
		Levels: []Level{{Severity: Block, When: "cargo_cover == nil and saved"}},
	},
	{
		Code: "cargo_low", Title: "The cargo insurance is too low",
		Fix: "Ask for a certificate with a sufficient limit, or override with a reason.", Evidence: "cargo_cover", Needed: "cargo_needed", Unknown: Off,
		Levels: []Level{
			{Severity: Block, When: "cargo_cover < declared_value"},
			{Severity: Block, When: "cargo_cover < threshold", Threshold: "100000"},
		},
	},
	{
		Code: "cargo_expires", Title: "The certificate of cargo insurance expires",
		Fix: "Ask for the certificate of the next period.", Evidence: "cargo_expires", Needed: "threshold", Unknown: Off,
		Levels: []Level{
			{Severity: Block, When: "days_to_cargo_end < 0"},
			{Severity: Warn, When: "days_to_cargo_end < threshold", Threshold: "30"},
		},
	},
	{
		Code: "safety_rating", Title: "The carrier has no satisfactory safety rating",
		Fix: "Check inspections and crashes. A carrier with a conditional rating has a corrective action plan: ask for it.", Evidence: "safety_rating", Unknown: Off,
		Levels: []Level{
			{Severity: Block, When: `safety_rating == "unsatisfactory"`},
			{Severity: Warn, When: `safety_rating == "conditional"`},
			{Severity: Note, When: `safety_rating == "none"`},
		},
	},
	{
		Code: "oos_rate", Title: "Vehicles are put out of service far more often than the national average",
		Fix: "Review the inspections, and ask the carrier about them.", Evidence: "vehicle_oos_percent", Needed: "vehicle_oos_national",
		Requires: []string{"inspections"}, Unknown: Note,
		Levels: []Level{{Severity: Warn, When: "inspections >= 5 and vehicle_oos_percent > vehicle_oos_national * threshold", Threshold: "1.5"}},
	},
	{
		Code: "mcs150_old", Title: "The carrier has not renewed its registration data for two years",
		Fix: "Ask the carrier to file its MCS-150.", Evidence: "mcs150_date", Needed: "threshold", Unknown: Off,
		Levels: []Level{{Severity: Note, When: "mcs150_days > threshold", Threshold: "730"}},
	},
	{
		Code: "not_car_hauler", Title: "The carrier does not say that it carries motor vehicles",
		Fix: "Ask which equipment it has.", Evidence: "car_hauler", Unknown: Off,
		Levels: []Level{{Severity: Note, When: "car_hauler == false"}},
	},
	{
		Code: "agreement_missing", Title: "There is no valid signed agreement",
		Fix: "Have the agreement signed.", Evidence: "agreement_expires", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "saved and (not agreement_signed or days_to_agreement_end < 0)"}},
	},
	{
		Code: "w9_missing", Title: "There is no W-9", Fix: "Ask the carrier for its W-9.", Evidence: "w9", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "saved and not w9"}},
	},
	{
		Code: "do_not_use", Title: "Your company has marked the carrier as do not use", Fix: "Change the carrier's status.", Evidence: "do_not_use", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "do_not_use"}},
	},
	{
		Code: "inactive", Title: "The carrier is inactive", Fix: "Activate the carrier.", Evidence: "inactive", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "inactive"}},
	},
	{
		Code: "prospect", Title: "The carrier's identity is not confirmed", Fix: "Have it enter its USDOT number and a code by its link, or enter the number and confirm its identity.", Evidence: "prospect", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "prospect"}},
	},
	{
		Code: "identity_unverified", Title: "The identity of the carrier is not verified",
		Fix: "Contact the carrier at the phone number or e-mail address on the regulator's record, and confirm its identity.", Evidence: "contact_email", Needed: "record_email", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "saved and not identity_verified"}},
	},
	{
		Code: "lookalike_domain", Title: "The carrier's e-mail domain resembles the one on the regulator's record, but differs from it",
		Fix: "Call the phone number on the regulator's record.", Evidence: "lookalike_email", Needed: "record_email", Unknown: Off,
		Levels: []Level{{Severity: Block, When: "lookalike_email != nil"}},
	},
	{
		Code: "foreign_email", Title: "The carrier's e-mail domain differs from the one on the regulator's record",
		Fix: "Call the phone number on the regulator's record.", Evidence: "contact_email", Needed: "record_email", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "email_on_record == false and lookalike_email == nil"}},
	},
	{
		Code: "foreign_phone", Title: "None of the carrier's phones is on the regulator's record",
		Fix: "Call the phone number on the regulator's record.", Evidence: "contact_phone", Needed: "record_phone", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "phone_on_record == false"}},
	},
	{
		Code: "authority_woken", Title: "The authority was reinstated after a long gap",
		Fix: "Check the identity: thieves buy dormant carriers.", Evidence: "slept_days", Needed: "threshold", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "slept_days > threshold and reinstated_days < 365", Threshold: "365"}},
	},
	{
		Code: "shared_contact", Title: "Several registrations share a phone, an e-mail or an address",
		Fix: "Review the other registrations: one of them may have been put out of service.", Evidence: "shared_by", Needed: "threshold", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "shared_by >= threshold", Threshold: "3"}},
	},
	{
		Code: "also_broker", Title: "The carrier is also a broker, and may re-broker the load",
		Fix: "Agree in writing that it carries the load itself.", Evidence: "broker_authority", Unknown: Off,
		Levels: []Level{{Severity: Note, When: "property_authority == true and broker_authority == true"}},
	},
	{
		Code: "incident_open", Title: "An incident with the carrier is open",
		Fix: "Confirm or dismiss the incident.", Evidence: "open_incidents", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "open_incidents > 0"}},
	},
	{
		Code: "bounces_often", Title: "The carrier often gives loads back",
		Fix: "Have a backup carrier ready.", Evidence: "bounces", Needed: "threshold", Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "bounces >= threshold", Threshold: "3"}},
	},
	{
		Code: "payment_redirect", Title: "The remit-to changed recently",
		Fix: "Confirm the change at the phone number on the regulator's record.", Evidence: "remit_to_changed", Needed: "threshold", Requires: []string{"remit_to_pending"}, Unknown: Off,
		Levels: []Level{{Severity: Warn, When: "remit_to_pending or remit_to_days < threshold", Threshold: "30"}},
	},
}

// SchemaName implements web.SchemaNamer: rules are rows of the area too.
func (Rule) SchemaName() string { return "CarriersEffectiveRule" }
