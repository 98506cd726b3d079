package collections_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImports_ProposeFieldsByTheWordsOfHeadings(t *testing.T) {
	t.Parallel()
	eachCrew(t, func(t *testing.T, y yard) {
		t.Helper()
		sent := y.post(t, collectionsPath+"/"+truckItem+"/imports", "Unit #,Max payload,Driver name,Registration expiration,Home base,Base (home)\n12,\"42,000\",Ann Lee,5/1/2027,Dallas,x\n",
			"Content-Type", "text/csv").OK(t)
		require.Equal(t, `["unit","max_payload_lb","driver_uuid","registration_expires","home_base",null]`, sent.Get("columns.#.field").Raw)
		y.do(t, y.Owner.Token, sent.Get("uuid").String(), "start")
		require.Equal(t, "Unit,Max payload lb,Driver,Registration expires\n12,42000,Ann Lee,2027-05-01\n",
			y.labelled(t, y.Owner.Token, truckItem, "unit,max_payload_lb,driver_uuid,registration_expires"))

		sent = y.post(t, collectionsPath+"/"+truckItem+"/imports", "Unit,Max payload (kg),Driver name,Driver phone\n13,1,,\n", "Content-Type", "text/csv").OK(t)
		require.Equal(t, `["unit",null,null,null]`, sent.Get("columns.#.field").Raw)
		require.Equal(t, "The column is in kg, and the field max_payload_lb in lb. Map it if its cells name their unit.", sent.Get("columns.1.note").String())
		const doubt = `The column is ambiguous: "Driver name" and "Driver phone" may go to driver_uuid. Say which.`
		require.Equal(t, doubt, sent.Get("columns.2.note").String())
		require.Equal(t, "Driver name: "+doubt, sent.Get("warnings.1").String())
		settled := y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+sent.Get("uuid").String(),
			object{"mapping": object{"Driver name": "driver_uuid", "Driver phone": nil, "Max payload (kg)": nil}}).OK(t)
		require.Equal(t, "[]", settled.Get("warnings").Raw)
		require.Equal(t, `["","","",""]`, settled.Get("columns.#.note").Raw)
	})
}

func TestImports_ProposeFieldsThatCanBeAddedAsTheyAre(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		file := "Lot code,Color,Weight (lb),Seen on,Contact e-mail\n" + strings.Repeat("A,Red,\"42,000\",5/1/2026,a@example.com\nB,blue,1.5,5/13/2026,b@example.com\n", 4)
		sent := y.post(t, collectionsPath+"/"+y.lots+"/imports", file, "Content-Type", "text/csv").OK(t)
		require.Equal(t, `["Color","Weight (lb)","Seen on","Contact e-mail"]`, sent.Get("proposed_fields.#.column").Raw)
		require.Equal(t, `["select","decimal","date","email"]`, sent.Get("proposed_fields.#.field.type").Raw)
		require.Equal(t, `["42,000","1.5"]`, sent.Get("proposed_fields.1.examples").Raw)
		mapping := object{}
		for _, p := range sent.Get("proposed_fields").Array() {
			y.post(t, modulesPath+"/"+y.lots+"/fields", p.Get("field").Value()).OK(t)
			mapping[p.Get("column").String()] = p.Get("field.key").String()
		}
		id := sent.Get("uuid").String()
		mapped := y.Call(t, y.Owner.Token, http.MethodPatch, importsPath+"/"+id, object{"mapping": mapping, "mode": "upsert", "by": "code"}).OK(t)
		require.Equal(t, "[]", mapped.Get("proposed_fields").Raw)
		y.do(t, y.Owner.Token, id, "start")
		require.Equal(t, "code,price,gate_code,color,weight_lb,seen_on,contact_email\nA,,,red,42000.00,2026-05-01,a@example.com\nB,,,blue,1.50,2026-05-13,b@example.com\n",
			y.export(t, y.Owner.Token, y.lots))
	})
}

func TestImports_ProposeNoFieldsOfAResource(t *testing.T) {
	t.Parallel()
	eachCrew(t, func(t *testing.T, y yard) {
		t.Helper()
		sent := y.post(t, collectionsPath+"/"+truckItem+"/imports", "Unit,Color\n1,Red\n", "Content-Type", "text/csv").OK(t)
		require.Equal(t, "[]", sent.Get("proposed_fields").Raw)
	})
}
