package field

import (
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// equipmentOptions is what a load is carried on, in one vocabulary for all companies, so that lists and
// load boards understand each other. The first three are the transport types of the vehicle boards.
type equipmentOptions struct{}

// EquipmentCodes are the kinds of equipment, those of vehicle transport first.
var EquipmentCodes = []string{
	"open", "enclosed", "driveaway",
	"open_multi_car", "enclosed_multi_car", "wedge", "hotshot", "rollback", "wheel_lift", "hard_side", "soft_side",
	"flatbed", "step_deck", "lowboy", "removable_gooseneck", "double_drop", "conestoga", "power_only", "towaway",
	"dry_van", "reefer", "box_truck", "cargo_van", "sprinter_van", "container", "chassis", "tanker", "dump", "other",
}

var equipmentType = Type{
	Name:      "equipment",
	About:     "The equipment that carries a load: " + strings.Join(EquipmentCodes, ", ") + ".",
	Index:     TextIndex,
	Filter:    kind.Text,
	Operators: named,
	Sortable:  true,
	New:       func() Values { return &equipmentOptions{} },
}

// Check implements Values.
func (*equipmentOptions) Check() error { return nil }

// Parse implements Values.
func (*equipmentOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if err := checkEquipment(given); err != nil {
		return Value{}, err
	}

	return Value{JSON: rawjson.Quote(given), Key: given}, nil
}

// Comparable implements Values.
func (*equipmentOptions) Comparable(text string) (any, error) {
	code := equipmentCode(text)

	return code, checkEquipment(code)
}

// Schema implements Values.
func (*equipmentOptions) Schema() map[string]any {
	return map[string]any{"type": "string", "enum": EquipmentCodes}
}

// CSV implements Values.
func (*equipmentOptions) CSV(json []byte) string { return rawjson.Text(json) }

// FromCSV takes a code as people write it: "Step deck".
func (*equipmentOptions) FromCSV(cell string) ([]byte, error) {
	return stringCells{}.FromCSV(equipmentCode(cell))
}

func equipmentCode(text string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(lowerASCII(strings.TrimSpace(text)))
}

func checkEquipment(code string) error {
	if slices.Contains(EquipmentCodes, code) {
		return nil
	}
	problem := "must be one of " + strings.Join(EquipmentCodes, ", ") + "."
	if near := naming.Nearest(code, EquipmentCodes); near != "" {
		problem = "must be one of the kinds of equipment. Did you mean " + near + "?"
	}

	return Error(problem)
}
