package custommodules

import (
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

// equipment is what a load is carried on, in one vocabulary for all companies, so that lists and
// load boards understand each other. The first three are the transport types of the vehicle boards.
type equipment struct{}

// equipmentCodes are the kinds of equipment, those of vehicle transport first.
func equipmentCodes() []string {
	return []string{
		"open", "enclosed", "driveaway",
		"open_multi_car", "enclosed_multi_car", "wedge", "hotshot", "rollback", "wheel_lift", "hard_side", "soft_side",
		"flatbed", "step_deck", "lowboy", "removable_gooseneck", "double_drop", "conestoga", "power_only", "towaway",
		"dry_van", "reefer", "box_truck", "cargo_van", "sprinter_van", "container", "chassis", "tanker", "dump", "other",
	}
}

func equipmentType() fieldType {
	return fieldType{
		name:      "equipment",
		about:     "What a load is carried on: " + strings.Join(equipmentCodes(), ", ") + ".",
		slot:      textSlot,
		filter:    list.Text,
		operators: named(),
		sortable:  true,
		options:   func() valueType { return &equipment{} },
	}
}

func (*equipment) check() error { return nil }

func (*equipment) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	if err := checkEquipment(given); err != nil {
		return value{}, err
	}

	return value{json: quote(given), key: given}, nil
}

func (*equipment) comparable(text string) (any, error) {
	code := equipmentCode(text)

	return code, checkEquipment(code)
}

func (*equipment) schema() map[string]any {
	return map[string]any{"type": "string", "enum": equipmentCodes()}
}

func (*equipment) csv(json []byte) string { return stringOf(json) }

// fromCSV takes a code as people write it: "Step deck".
func (*equipment) fromCSV(cell string) ([]byte, error) {
	return stringCells{}.fromCSV(equipmentCode(cell))
}

func equipmentCode(text string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(lowerASCII(strings.TrimSpace(text)))
}

func checkEquipment(code string) error {
	if slices.Contains(equipmentCodes(), code) {
		return nil
	}
	problem := "must be one of " + strings.Join(equipmentCodes(), ", ") + "."
	if near := nearest(code, equipmentCodes()); near != "" {
		problem = "must be one of the kinds of equipment. Did you mean " + near + "?"
	}

	return valueError(problem)
}
