package store

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/sight"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// members are the paths of the JSON members that a party sees of a struct; of a view, those are all.
func members(t reflect.Type, by sight.Party, at string) (paths []string) {
	for f := range t.Fields() {
		seen, tagged := f.Tag.Lookup("seen")
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || tagged && !slices.Contains(strings.Fields(seen), string(by)) {
			continue
		}
		paths = append(paths, at+name)
		inner := f.Type
		if inner.Kind() == reflect.Struct {
			if v, column := inner.FieldByName("V"); column {
				inner = v.Type // of JSON
			}
		}
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
			paths = append(paths, members(inner, by, at+name+".")...)
		}
	}

	return paths
}

// filled sets all fields of a struct, and of those in it.
func filled(v reflect.Value, party string) {
	switch v.Interface().(type) {
	case uuid.UUID:
		v.Set(reflect.ValueOf(uuid.New()))

		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)))

		return
	case json.Number:
		v.SetString("1.5")

		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), party)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), party)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && !v.Type().Field(i).Anonymous {
				filled(f, party)
			}
		}
	default:
	}
	switch part := v.Addr().Interface().(type) { // those that the party is shown
	case *plan.Line:
		part.From = party
	case *plan.Payment:
		part.From = party
	case *Charge:
		part.Payer = Customer
	}
}

// empty are the fields of a struct, and of those in it, that have no value.
func empty(v reflect.Value, at string) (paths []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return empty(v.Elem(), at)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			return empty(v.Index(0), at)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			break
		}
		for i := range v.NumField() {
			paths = append(paths, empty(v.Field(i), at+"."+v.Type().Field(i).Name)...)
		}

		return paths
	default:
	}
	if v.IsZero() {
		return []string{at}
	}

	return nil
}

// A view has what its party sees, and reads all of what is answered: by the tags of the row, and by a load that has everything.
func requireShown[V View](t *testing.T, by sight.Party, party string) {
	t.Helper()
	want := append(members(reflect.TypeFor[Load](), by, ""), "uuid")
	slices.Sort(want)
	got := members(reflect.TypeFor[V](), by, "")
	slices.Sort(got)
	require.Equal(t, want, got)

	var l Load
	filled(reflect.ValueOf(&l).Elem(), party)
	l.ID = uuid.New()
	shown, err := ShownTo[V](l, by)
	require.NoError(t, err)
	require.Empty(t, empty(reflect.ValueOf(shown.Load), ""), "read of %s", shown.JSON)
	decoder := json.NewDecoder(bytes.NewReader(shown.JSON))
	decoder.DisallowUnknownFields()
	var strict V
	require.NoError(t, decoder.Decode(&strict))
	again, err := json.Marshal(shown.Load)
	require.NoError(t, err)
	require.JSONEq(t, string(shown.JSON), string(again))
}

func TestViews_AreWhatTheTagsShowEachParty(t *testing.T) {
	t.Parallel()
	requireShown[loadsapi.CustomerView](t, sight.Customer, Customer)
	requireShown[loadsapi.CarrierView](t, sight.Carrier, Carrier)
	requireShown[loadsapi.BidderView](t, sight.Bidder, Carrier)
}

// Pages of carriers show offers and loads by the same code.
func TestViews_OfABidderAreReadAsThoseOfACarrier(t *testing.T) {
	t.Parallel()
	carriers := members(reflect.TypeFor[loadsapi.CarrierView](), sight.Carrier, "")
	require.Subset(t, carriers, members(reflect.TypeFor[loadsapi.BidderView](), sight.Bidder, ""))
}
