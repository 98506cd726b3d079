package field

import (
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errGeoPoint = Error(`must be a point: {"lat": 38.8976763, "lng": -77.0365298}.`)

// geoDigits after the point of a degree are a centimetre.
const geoDigits = 7

var geoNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,2})(\.[0-9]+)?$`)

// geoPointOptions is a point on the earth in degrees of WGS 84. Its numbers are exact: they are texts all
// the way through.
type geoPointOptions struct{}

func geoPointType() Type {
	return Type{
		Name:      "geo_point",
		About:     `A point on the earth: {"lat": 38.8976763, "lng": -77.0365298}, in degrees with up to 7 digits after the point. It cannot be indexed.`,
		Filter:    kind.Text,
		Operators: present,
		Facets:    geoFacets(),
		New:       func() Values { return &geoPointOptions{} },
	}
}

// Check implements Values.
func (*geoPointOptions) Check() error { return nil }

// Parse implements Values.
func (*geoPointOptions) Parse(raw []byte) (Value, error) {
	parts := map[string]string{}
	count := 0
	for name, member := range rawjson.Members(raw) {
		parts[string(name)] = string(member)
		count++
	}
	if count != 2 || parts["lat"] == "" || parts["lng"] == "" {
		return Value{}, errGeoPoint
	}
	lat, err := parseDegrees("lat", parts["lat"], "90")
	if err != nil {
		return Value{}, err
	}
	lng, err := parseDegrees("lng", parts["lng"], "180")
	if err != nil {
		return Value{}, err
	}

	return Value{JSON: []byte(`{"lat":` + lat + `,"lng":` + lng + `}`), Key: lat + "," + lng}, nil
}

// parseDegrees reads a number between -most and most into its shortest form.
func parseDegrees(name, text, most string) (string, error) {
	if !geoNumber.MatchString(text) {
		return "", errGeoPoint
	}
	number, err := NormalDecimal(text, geoDigits)
	if err != nil {
		return "", Error("must not have more than 7 digits after the point of its " + name + ".")
	}
	if OrderedNumber(strings.TrimPrefix(number, "-")) > OrderedNumber(most) {
		return "", Error("must have a " + name + " between -" + most + " and " + most + ".")
	}

	return ShortDecimal(number), nil
}

// ShortDecimal takes the zeros at the end off a fraction.
func ShortDecimal(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}

	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

// Comparable implements Values.
func (*geoPointOptions) Comparable(text string) (any, error) { return ComparableText(text) }

// Schema implements Values.
func (*geoPointOptions) Schema() map[string]any {
	degrees := func(most int) map[string]any {
		return map[string]any{"type": "number", "minimum": -most, "maximum": most}
	}

	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"lat": degrees(90), "lng": degrees(180)},
		"required":             []string{"lat", "lng"},
		"additionalProperties": false,
	}
}

// CSV implements Values.
func (*geoPointOptions) CSV(json []byte) string {
	return string(rawjson.Member(json, "lat")) + "," + string(rawjson.Member(json, "lng"))
}

// FromCSV implements Values.
func (*geoPointOptions) FromCSV(cell string) ([]byte, error) {
	if strings.TrimSpace(cell) == "" {
		return []byte("null"), nil
	}
	lat, lng, _ := strings.Cut(cell, ",")
	lat, lng = strings.TrimSpace(lat), strings.TrimSpace(lng)
	if !geoNumber.MatchString(lat) || !geoNumber.MatchString(lng) {
		return nil, Error("must be a point: 38.8976763,-77.0365298.")
	}

	return []byte(`{"lat":` + lat + `,"lng":` + lng + `}`), nil
}
