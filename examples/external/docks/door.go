package docks

import "github.com/dispatchd/dispatchd/platform/resource"

// door is a row of docks_doors, and a door as the API shows it. What the tags can say is in
// https://github.com/dispatchd/dispatchd/blob/main/docs/resources.md.
type door struct {
	resource.Row

	Name string `json:"name" field:"required,max=100,unique,sort,search,title"`
}

// TableName implements GORM's naming.
func (door) TableName() string { return "docks_doors" }

// doorRules are what is particular to doors.
func doorRules() resource.Rules[door] {
	return resource.Rules[door]{
		Item: "docks.door", Plural: "doors", Sort: []string{"name"},
		About: "A door has a name, which no other door has.",
	}
}
