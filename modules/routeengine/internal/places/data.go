package places

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The ZIP codes, as tools/places writes them.
//
//go:embed us.gz canada.csv
var files embed.FS

// index is the data in memory.
type index struct {
	// rows are the ZIP codes in their order, cities those of the same folded name and state in the order of the names.
	rows   []row
	cities []city
	// members are the rows of the cities, each city's in their order: those of city i are members[cities[i].from:cities[i+1].from].
	members                          []uint16
	states, counties, zoneIDs, lands []string
	// zones are the first three digits that are in use.
	zones []Zone
	// boxes are where the rows of the zones are, in their order.
	boxes []box
}

// box is around the rows of a zone, from up to but not including to.
type box struct {
	from, to                 int
	south, north, west, east float64
}

// row is a ZIP code. Coordinates are in ten-thousandths of a degree; the rest are places in the tables.
type row struct {
	zip          uint32
	lat, lng     int32
	city, county uint16
	zone, land   uint8
}

// city is a name in a state.
type city struct {
	name, folded string
	lat, lng     int32
	// from is where its rows begin in members, main the row that stands for it.
	from, main uint16
	state      uint8
}

// loaded returns the index, which it builds at the first call.
var loaded = sync.OnceValue(func() *index {
	packed, err := files.ReadFile("us.gz")
	if err != nil {
		panic("places: " + err.Error()) // the compiler has put it in
	}
	x, err := unpack(packed)
	if err != nil {
		panic("places: the embedded data are broken: " + err.Error()) // a test reads all of them
	}

	return x
})

// columns of the file.
const (
	columnZIP = iota
	columnCity
	columnState
	columnCounty
	columnLat
	columnLng
	columnZone
	columnLand
	columnCount
)

// mostText bounds the unpacked file, which has 1.3 MB.
const mostText = 16 << 20

func unpack(packed []byte) (*index, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	text.Grow(4 * len(packed)) //nolint:mnd // it is a little less
	if _, err := io.Copy(&text, io.LimitReader(reader, mostText)); err != nil {
		return nil, err
	}
	columns := strings.Split(text.String(), "\f")
	if len(columns) != columnCount+1 {
		return nil, fmt.Errorf("%d columns", len(columns))
	}
	columns = columns[:columnCount]
	count := strings.Count(columns[0], "\n") + 1
	for i, c := range columns {
		if n := strings.Count(c, "\n") + 1; n != count {
			return nil, fmt.Errorf("column %d has %d lines", i, n)
		}
	}

	return build(columns, count)
}

// named numbers texts. It copies them, so that the file can be freed.
type named struct {
	list []string
	at   map[string]int
}

func newNamed() *named { return &named{at: map[string]int{}} }

func (n *named) number(text string) int {
	i, ok := n.at[text]
	if !ok {
		i = len(n.list)
		text = strings.Clone(text)
		n.list = append(n.list, text)
		n.at[text] = i
	}

	return i
}

// cityName is the name of a city as the file has it.
type cityName struct {
	name  string
	state int
}

// build builds the index from the columns, which have count lines each.
func build(columns []string, count int) (*index, error) {
	x := &index{rows: make([]row, count)}
	states, counties, zones, lands := newNamed(), newNamed(), newNamed(), newNamed()
	var now [columnCount]string
	var zip, lat, lng int
	var names []cityName
	cities := make(map[cityName]int, count)
	for i := range x.rows {
		for c := range columns {
			var value string
			if value, columns[c], _ = strings.Cut(columns[c], "\n"); value != "=" {
				now[c] = value
			}
		}
		var failed [3]error
		zip, failed[0] = added(zip, now[columnZIP])
		lat, failed[1] = added(lat, now[columnLat])
		lng, failed[2] = added(lng, now[columnLng])
		if err := cmp.Or(failed[:]...); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		name := cityName{now[columnCity], states.number(now[columnState])}
		at, ok := cities[name]
		if !ok {
			at = len(names)
			names, cities[name] = append(names, name), at
		}
		x.rows[i] = row{
			zip: uint32(zip), lat: int32(lat), lng: int32(lng), city: uint16(at), //nolint:gosec // the file is ours, and a test reads all of it
			county: uint16(counties.number(now[columnCounty])), zone: uint8(zones.number(now[columnZone])), land: uint8(lands.number(now[columnLand])), //nolint:gosec // as above
		}
	}
	x.states, x.counties, x.zoneIDs, x.lands = states.list, counties.list, zones.list, lands.list
	x.group(names)
	for prefix := range uint32(1000) { //nolint:mnd // all there can be
		if from, to := x.zone(prefix); from < to {
			x.zones = append(x.zones, x.summarize(prefix))
			x.boxes = append(x.boxes, x.around(from, to))
		}
	}

	return x, nil
}

func added(to int, text string) (int, error) {
	n, err := strconv.Atoi(text)

	return to + n, err
}

// group makes the cities of the names that rows have so far: names that fold to the same in a state are one city.
func (x *index) group(names []cityName) {
	order := make([]int, len(names))
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i], order[i] = Fold(n.name), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(folded[a], folded[b]), names[a].state-names[b].state, a-b)
	})
	at := make([]uint16, len(names))
	x.cities = make([]city, 0, len(names))
	for n, i := range order {
		if n == 0 || folded[i] != folded[order[n-1]] || names[i].state != names[order[n-1]].state {
			x.cities = append(x.cities, city{
				name: strings.Clone(names[i].name), folded: folded[i], state: uint8(names[i].state), //nolint:gosec // there are some 60
			})
		}
		at[i] = uint16(len(x.cities) - 1) //nolint:gosec // some 30,000
	}
	next := make([]uint16, len(x.cities)+1)
	for i := range x.rows {
		x.rows[i].city = at[x.rows[i].city]
		next[x.rows[i].city+1]++
	}
	for c := range x.cities {
		next[c+1] += next[c]
		x.cities[c].from = next[c]
	}
	x.members = make([]uint16, len(x.rows))
	for i, r := range x.rows {
		x.members[next[r.city]] = uint16(i)
		next[r.city]++
	}
	for c := range x.cities {
		from := int(x.cities[c].from)
		x.middle(&x.cities[c], x.members[from:from+x.size(c)])
	}
}

// middle sets the coordinates of a city, the mean of the different ones of its ZIP codes, and the ZIP code that is nearest to it.
func (x *index) middle(c *city, rows []uint16) {
	if c.main = rows[0]; len(rows) == 1 {
		c.lat, c.lng = x.rows[c.main].lat, x.rows[c.main].lng

		return
	}
	seen := map[[2]int32]bool{}
	var lat, lng int
	for _, i := range rows {
		at := [2]int32{x.rows[i].lat, x.rows[i].lng}
		if !seen[at] {
			seen[at] = true
			lat, lng = lat+int(at[0]), lng+int(at[1])
		}
	}
	c.lat, c.lng = int32(lat/len(seen)), int32(lng/len(seen)) //nolint:gosec // means of int32
	least := math.Inf(1)
	for _, i := range rows {
		if d := math.Hypot(float64(x.rows[i].lat-c.lat), float64(x.rows[i].lng-c.lng)); d < least {
			c.main, least = i, d
		}
	}
}

// zone returns which rows have the first three digits of a ZIP code.
func (x *index) zone(prefix uint32) (from, to int) {
	return x.between(prefix*zoneSize, (prefix+1)*zoneSize)
}

// between returns which rows have ZIP codes of a range without its end.
func (x *index) between(first, end uint32) (from, to int) {
	at := func(zip uint32) int {
		i, _ := slices.BinarySearchFunc(x.rows, zip, func(r row, zip uint32) int { return int(r.zip) - int(zip) })

		return i
	}

	return at(first), at(end)
}

// summarize returns the zone of a prefix.
func (x *index) summarize(prefix uint32) Zone {
	from, to := x.zone(prefix)
	z := Zone{Prefix: ZIP(prefix * zoneSize).String()[:3], ZIPs: to - from}
	count := map[uint16]int{}
	most := 0
	var lats, lngs []int32
	for _, r := range x.rows[from:to] {
		lats, lngs = append(lats, r.lat), append(lngs, r.lng)
		count[r.city]++
		if count[r.city] > most {
			most = count[r.city]
			z.City, z.State = x.cities[r.city].name, x.states[x.cities[r.city].state]
		}
	}

	// Medians, not means: one island on the other side of the date line would move the middle of Hawaii into the sea.
	slices.Sort(lats)
	slices.Sort(lngs)
	z.Lat, z.Lng = degrees(lats[len(lats)/2]), degrees(lngs[len(lngs)/2])

	return z
}

// around returns the box around some rows.
func (x *index) around(from, to int) box {
	b := box{from: from, to: to, south: math.Inf(1), north: math.Inf(-1), west: math.Inf(1), east: math.Inf(-1)}
	for _, r := range x.rows[from:to] {
		lat, lng := degrees(r.lat), degrees(r.lng)
		b.south, b.north, b.west, b.east = min(b.south, lat), max(b.north, lat), min(b.west, lng), max(b.east, lng)
	}

	return b
}

// place returns a ZIP code.
func (x *index) place(i int) Place {
	r := x.rows[i]
	c := x.cities[r.city]

	return Place{
		ID: ZIP(r.zip).id(), Kind: ZIPCode, ZIP: ZIP(r.zip).String(), City: c.name, State: x.states[c.state], County: x.counties[r.county],
		Lat: degrees(r.lat), Lng: degrees(r.lng), TimeZone: x.zoneIDs[r.zone], Land: Land(x.lands[r.land]), ZIPs: 1,
	}
}

// city returns a city: its county, time zone and land are those of its main ZIP code.
func (x *index) city(i int) Place {
	c := x.cities[i]
	p := x.place(int(c.main))
	p.Kind, p.Lat, p.Lng, p.ZIPs = City, degrees(c.lat), degrees(c.lng), x.size(i)
	p.ID = string(City) + "-" + strings.ToLower(p.State) + "-" + strings.ReplaceAll(c.folded, " ", "-")

	return p
}

// size returns the number of ZIP codes of a city.
func (x *index) size(i int) int {
	if i+1 < len(x.cities) {
		return int(x.cities[i+1].from - x.cities[i].from)
	}

	return len(x.members) - int(x.cities[i].from)
}

// degrees converts a coordinate to degrees.
func degrees(tenThousandths int32) float64 { return float64(tenThousandths) / 10_000 } //nolint:mnd // see row
