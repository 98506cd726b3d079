package identity

import "strings"

// Role is a named set of scopes that a user has.
type Role string

// The roles. What each may do is in roles.
const (
	Owner      Role = "owner"
	Admin      Role = "admin"
	Dispatcher Role = "dispatcher"
	Accountant Role = "accountant"
	Viewer     Role = "viewer"
)

// roles are the scopes of each role. An area's finer scopes, beyond read and write, are the owner's
// until they are entered here; TestAdmin_HasTheScopesOfAllAreas notices what was forgotten.
func roles() map[Role][]string {
	return map[Role][]string{
		Owner: {"*"},
		Admin: {"*:read", "*:write", "attachments:*", "companies:*", "custom_modules:*", "drivers:*", "esign:*", "history:*", "inbound:*", "notes:*", "sms:*"},
		Dispatcher: append([]string{"*:read", "esign:send", "sms:send"}, writing(
			"attachments", "bills_of_lading", "carriers", "client_jobs", "contacts", "custom_modules", "deliveries",
			"dispatches", "documents", "drivers", "emails", "esign", "fleets", "history", "listings", "loads", "notes",
			"route_engine", "shippers", "sms", "tags", "tasks", "trips", "trucks", "vehicles",
		)...),
		Accountant: append([]string{"*:read"}, writing(
			"attachments", "billing", "catalog", "contacts", "custom_modules", "documents", "emails", "history",
			"invoices", "notes", "payments", "reports", "tags", "tasks",
		)...),
		Viewer: {"*:read"},
	}
}

func writing(areas ...string) []string {
	scopes := make([]string, len(areas))
	for i, area := range areas {
		scopes[i] = area + ":write"
	}

	return scopes
}

// roleNames lists the built-in roles for a message.
func roleNames() string {
	names := make([]string, 0, len(roles()))
	for _, role := range BuiltInNames() {
		names = append(names, string(role))
	}

	return strings.Join(names, ", ")
}
