package custommodules_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chain is a yard with modules that refer to one another: trips to loads to customers to accounts.
type chain struct {
	yard

	accounts, customers, loads, trips string
	account, customer, load           string
}

func eachChain(t *testing.T, test func(t *testing.T, c chain)) {
	t.Helper()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		c := chain{yard: y}
		c.accounts = c.module(t, "Accounts", object{"key": "name", "type": "text"})
		c.customers = c.module(t, "Shippers", object{"key": "name", "type": "text"}, reference("account", c.accounts))
		c.loads = c.module(t, "Loads", object{"key": "number", "type": "integer", "indexed": true},
			reference("customer", c.customers), reference("payer", c.customers))
		c.trips = c.module(t, "Trips", reference("load", c.loads))
		c.account = c.made(t, c.accounts, object{"name": "Main"})
		c.customer = c.made(t, c.customers, object{"name": "Blue", "account": to(c.account)})
		c.load = c.made(t, c.loads, object{"number": 1, "customer": to(c.customer), "payer": to(c.customer)})
		test(t, c)
	})
}

func reference(key, module string) object {
	return object{"key": key, "type": "reference", "options": object{"module_uuid": module, "on_delete": "set_null"}}
}

func to(record string) object { return object{"record_uuid": record} }

func (y yard) made(t *testing.T, module string, payload object) string {
	t.Helper()

	return y.create(t, module, payload).OK(t).Get("uuid").String()
}

func TestExpand_EmbedsWhatReferencesName(t *testing.T) {
	t.Parallel()
	eachChain(t, func(t *testing.T, c chain) {
		trip := c.made(t, c.trips, object{"load": to(c.load)})
		for path, at := range map[string]string{
			recordsPath + "/" + trip + "?":                "",
			recordsPath + "?module_uuid=" + c.trips + "&": "data.0.",
		} {
			answer := c.get(t, path+"expand=load.customer.account,load.payer").OK(t)
			load := answer.Get(at + "payload.load")
			require.Equal(t, c.load, load.Get("record_uuid").String())
			require.Equal(t, c.load, load.Get("record.uuid").String())
			require.Equal(t, c.loads, load.Get("record.module_uuid").String())
			require.Equal(t, int64(1), load.Get("record.version").Int())
			require.Equal(t, int64(1), load.Get("record.payload.number").Int())
			customer := load.Get("record.payload.customer")
			require.Equal(t, "Blue", customer.Get("record.payload.name").String())
			require.Equal(t, "Main", customer.Get("record.payload.account.record.payload.name").String())
			payer := load.Get("record.payload.payer")
			require.Equal(t, "Blue", payer.Get("record.payload.name").String())
			require.Equal(t, `{"record_uuid":"`+c.account+`"}`, payer.Get("record.payload.account").Raw, "not asked for here")
		}
		require.JSONEq(t, `{"record_uuid":"`+c.load+`"}`, c.get(t, recordsPath+"/"+trip).OK(t).Get("payload.load").Raw)
	})
}

func TestExpand_IsNullForWhatIsNotThere(t *testing.T) {
	t.Parallel()
	eachChain(t, func(t *testing.T, c chain) {
		none := c.made(t, c.trips, object{"load": nil})
		require.JSONEq(t, `{"load":null}`, c.get(t, recordsPath+"/"+none+"?expand=load.customer").OK(t).Get("payload").Raw)

		trip := c.made(t, c.trips, object{"load": to(c.load)})
		c.Call(t, c.Owner.Token, http.MethodDelete, recordsPath+"/"+c.load, nil).OK(t)
		read := c.get(t, recordsPath+"/"+trip+"?version=1&expand=load").OK(t)
		require.JSONEq(t, `{"load":{"record_uuid":"`+c.load+`","record":null}}`, read.Get("payload").Raw, "deleted since")
	})
}

func TestExpand_RefusesWhatIsNoReference(t *testing.T) {
	t.Parallel()
	eachChain(t, func(t *testing.T, c chain) {
		trip := c.made(t, c.trips, object{"load": to(c.load)})
		for query, want := range map[string]string{
			"expand=loaf":                          `expand does not know "loaf"; allowed are load.`,
			"expand=load.number":                   `expand does not know "load.number"; allowed are load, load.customer, load.payer.`,
			"expand=load.customer.account.owner":   "",
			"expand=load,":                         "",
			"expand=load.customer.account.account": "",
			"expand=.":                             "",
		} {
			for _, path := range []string{recordsPath + "/" + trip + "?", recordsPath + "?module_uuid=" + c.trips + "&"} {
				answer := c.get(t, path+query).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
				message := answer.Get("errors.expand.0").String()
				require.NotEmpty(t, message, query)
				if want != "" {
					require.Equal(t, want, message)
				}
			}
		}
	})
}

func TestExpand_GoesWithFields(t *testing.T) {
	t.Parallel()
	eachChain(t, func(t *testing.T, c chain) {
		path := recordsPath + "?module_uuid=" + c.loads + "&expand=customer.account"
		row := c.get(t, path+"&fields=payload.number,uuid").OK(t).Get("data.0")
		require.JSONEq(t, `{"uuid":"`+c.load+`","payload":{"number":1}}`, row.Raw)
		row = c.get(t, path+"&fields=payload.customer.record.payload.name,payload.customer.record.payload.account.record.uuid").OK(t).Get("data.0")
		require.JSONEq(t, `{"uuid":"`+c.load+`","payload":{"customer":{"record":{"payload":{"name":"Blue","account":{"record":{"uuid":"`+
			c.account+`"}}}}}}}`, row.Raw)
	})
}

func TestExpand_KnowsAFieldThatCameAMomentAgo(t *testing.T) {
	t.Parallel()
	eachChain(t, func(t *testing.T, c chain) {
		path := recordsPath + "/" + c.load + "?expand=customer"
		c.get(t, path).OK(t)
		c.Call(t, c.Owner.Token, http.MethodPost, modulesPath+"/"+c.customers+"/fields", reference("second", c.accounts)).OK(t)
		c.Call(t, c.Owner.Token, http.MethodPatch, recordsPath+"/"+c.customer, object{"payload": object{"second": to(c.account)}}).OK(t)
		read := c.get(t, path+".second").OK(t)
		require.Equal(t, "Main", read.Get("payload.customer.record.payload.second.record.payload.name").String())
	})
}

func TestExpand_IsBounded(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		fields, keys := []object{}, strings.Split("abcdefghi", "")
		for _, key := range keys {
			fields = append(fields, reference(key, y.customers))
		}
		path := recordsPath + "?module_uuid=" + y.module(t, "Many", fields...) + "&expand="
		y.get(t, path+strings.Join(keys[:8], ",")).OK(t)
		y.get(t, path+strings.Join(keys, ",")).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
	})
}
