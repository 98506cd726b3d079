package custommodules

import (
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errGeoPoint = valueError(`must be a point: {"lat": 38.8976763, "lng": -77.0365298}.`)

// geoDigits after the point of a degree are a centimetre.
const geoDigits = 7

var geoNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,2})(\.[0-9]+)?$`)

// geoPoint is a point on the earth in degrees of WGS 84. Its numbers are exact: they are texts all
// the way through.
type geoPoint struct{}

func geoPointType() fieldType {
	return fieldType{
		name:      "geo_point",
		about:     `A point on the earth: {"lat": 38.8976763, "lng": -77.0365298}, in degrees with up to 7 digits after the point. It cannot be indexed.`,
		filter:    list.Text,
		operators: present(),
		facets:    geoFacets(),
		options:   func() valueType { return &geoPoint{} },
	}
}

func (*geoPoint) check() error { return nil }

func (*geoPoint) parse(raw []byte) (value, error) {
	parts := map[string]string{}
	count := 0
	for name, member := range members(raw) {
		parts[string(name)] = string(member)
		count++
	}
	if count != 2 || parts["lat"] == "" || parts["lng"] == "" {
		return value{}, errGeoPoint
	}
	lat, err := degrees("lat", parts["lat"], "90")
	if err != nil {
		return value{}, err
	}
	lng, err := degrees("lng", parts["lng"], "180")
	if err != nil {
		return value{}, err
	}

	return value{json: []byte(`{"lat":` + lat + `,"lng":` + lng + `}`), key: lat + "," + lng}, nil
}

// degrees reads a number between -most and most into its shortest form.
func degrees(name, text, most string) (string, error) {
	if !geoNumber.MatchString(text) {
		return "", errGeoPoint
	}
	number, err := normalDecimal(text, geoDigits)
	if err != nil {
		return "", valueError("must not have more than 7 digits after the point of its " + name + ".")
	}
	if orderedNumber(strings.TrimPrefix(number, "-")) > orderedNumber(most) {
		return "", valueError("must have a " + name + " between -" + most + " and " + most + ".")
	}

	return shortDecimal(number), nil
}

// shortDecimal takes the zeros at the end off a fraction.
func shortDecimal(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}

	return strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
}

func (*geoPoint) comparable(text string) (any, error) { return comparableText(text) }

func (*geoPoint) schema() map[string]any {
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

func (*geoPoint) csv(json []byte) string {
	return string(member(json, "lat")) + "," + string(member(json, "lng"))
}

func (*geoPoint) fromCSV(cell string) ([]byte, error) {
	if strings.TrimSpace(cell) == "" {
		return []byte("null"), nil
	}
	lat, lng, _ := strings.Cut(cell, ",")
	lat, lng = strings.TrimSpace(lat), strings.TrimSpace(lng)
	if !geoNumber.MatchString(lat) || !geoNumber.MatchString(lng) {
		return nil, valueError("must be a point: 38.8976763,-77.0365298.")
	}

	return []byte(`{"lat":` + lat + `,"lng":` + lng + `}`), nil
}
