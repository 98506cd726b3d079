package cargo

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

// FillIn completes a vehicle by its VIN. What people have written stays, and is warned of where it differs. Its size is by default that of its type,
// which sizes may have otherwise.
//
// Its type is by default that of its VIN, or named, that of its make and model, where the VIN is of another make or tells none.
func (v *Vehicle) FillIn(d vehiclesapi.Decoded, named vehiclesapi.Type, sizes map[vehiclesapi.Type]string, warn func(code, name, message string)) {
	if v.VIN != "" {
		v.decode(d, warn)
	}
	if named == vehiclesapi.Other {
		named = ""
	}
	v.Type = cmp.Or(v.Type, named, d.Type, vehiclesapi.Other)
	v.Size = cmp.Or(v.Size, sizes[v.Type], routeengineapi.SizeOf(string(v.Type)))
}

// SameMake reports whether the make is the one that a VIN tells, or none is written.
func (v *Vehicle) SameMake(told string) bool {
	return v.Make == "" || told != "" && plain(v.Make) == plain(told)
}

// plain is a name without case, spaces and punctuation.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}

		return -1
	}, name)
}

func (v *Vehicle) decode(d vehiclesapi.Decoded, warn func(code, name, message string)) {
	for _, w := range d.Warnings {
		if w.Code == "legacy" {
			warn("loads.vin_legacy", "vin", w.Message)
		}
	}
	for _, p := range d.Problems {
		warn("loads.vin_invalid", "vin", p.Message)
	}
	if d.CheckDigit == "invalid" {
		warn("loads.vin_check_digit", "vin", "The check digit of the VIN is wrong: a character may be mistyped.")
	}
	if d.Year != nil && !d.YearUncertain {
		year := int64(*d.Year)
		if v.Year == nil {
			v.Year = &year
		} else if *v.Year != year {
			warn("loads.decode_differs", "year", "By its VIN, the vehicle is of "+strconv.FormatInt(year, 10)+".")
		}
	}
	for _, said := range []struct {
		name, text string
		into       *string
	}{{"make", d.Make, &v.Make}, {"model", d.Model, &v.Model}, {"trim", d.Trim, &v.Trim}} {
		switch {
		case said.text == "":
		case *said.into == "":
			*said.into = said.text
		case said.name != "trim" && !strings.EqualFold(*said.into, said.text):
			warn("loads.decode_differs", said.name, "By its VIN, the "+said.name+" is "+said.text+".")
		}
	}
}

// Difference is what the VIN of a vehicle says otherwise.
type Difference struct {
	Field string `json:"field" enum:"year,make,model,trim,type"`
	Was   string `json:"was"`
	VIN   string `json:"by_vin"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Difference) SchemaName() string { return "LoadVehicleDifference" }

// Correct makes a vehicle what its VIN says, and returns what was otherwise.
func (v *Vehicle) Correct(d vehiclesapi.Decoded) []Difference {
	found, kind := []Difference{}, string(v.Type)
	set := func(name, text string, into *string) {
		if text != "" && !strings.EqualFold(text, *into) {
			found = append(found, Difference{name, *into, text})
			*into = text
		}
	}
	if d.Year != nil && !d.YearUncertain {
		was, year := "", int64(*d.Year)
		if v.Year != nil {
			was = strconv.FormatInt(*v.Year, 10)
		}
		set("year", strconv.FormatInt(year, 10), &was)
		v.Year = &year
	}
	set("make", d.Make, &v.Make)
	set("model", d.Model, &v.Model)
	other := slices.ContainsFunc(found, func(d Difference) bool { return d.Field == "model" })
	if set("trim", d.Trim, &v.Trim); other && d.Trim == "" && v.Trim != "" { // that of the model that it is not
		found, v.Trim = append(found, Difference{"trim", v.Trim, ""}), ""
	}
	if d.Type != vehiclesapi.Other {
		set("type", string(d.Type), &kind)
	}
	if v.Type != vehiclesapi.Type(kind) {
		v.Type, v.Size = vehiclesapi.Type(kind), "" // by the type
	}

	return found
}
