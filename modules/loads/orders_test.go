package loads_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/catalog"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const exchangePath = "/collections/api/v1"

// filed runs a test with collections on each database.
func filed(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	all := []module.Module{
		attachments.Module, carriers.Module, catalog.Module, collections.Module, companies.Module, contacts.Module, loads.Module, routeengine.Module, vehicles.Module,
	}
	moduletest.BootEach(t, all, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, office{App: a})
	})
}

// sent sends a file to a collection.
func (o office) sent(t *testing.T, collection, file string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(o.Call(t, o.Owner.Token, http.MethodPost, exchangePath+"/collections/"+collection+"/imports", file, "Content-Type", "text/csv").OK(t).Body)
}

// imported runs an import to its end.
func (o office) imported(t *testing.T, sent gjson.Result) gjson.Result {
	t.Helper()
	at := exchangePath + "/imports/" + sent.Get("uuid").String()
	for _, verb := range []string{"dry_run", "start"} {
		o.post(t, at+"/"+verb, nil).OK(t)
		o.Eventually(t, func() bool {
			state := o.get(t, at).Get("state").String()

			return state != "checking" && state != "running"
		}, verb)
	}

	return o.get(t, at)
}

// column is where a column goes.
func column(sent gjson.Result, name string) string {
	for _, c := range sent.Get("columns").Array() {
		if c.Get("name").String() == name {
			return c.Get("field").String()
		}
	}

	return "no such column"
}

func TestImport_ReadsTheExportsOfOthers(t *testing.T) {
	t.Parallel()
	filed(t, func(t *testing.T, o office) {
		for name, c := range map[string]struct{ file, first, emails, phones, address string }{
			"google": {
				"First Name,Middle Name,Last Name,Organization Name,Organization Title,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Address 1 - Label,Address 1 - Street,Address 1 - City,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country\n" +
					"Ann,,Lee,Sample Motors LLC,Buyer,,* myContacts,Work,ann@example.com ::: ann.lee@example.com,,,Mobile,+1 214-555-0143 ::: (214) 555-0144,,,Home,1 Main St,Dallas,Texas,75201,United States\n",
				"Ann Lee", `["ann@example.com","ann.lee@example.com"]`, `["+12145550143","+12145550144"]`, "1 Main St|Dallas|TX|75201|US",
			},
			"outlook": {
				"Title,First Name,Last Name,Suffix,Company,Job Title,Business Street,Business Street 2,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home City,Business Phone,Business Phone 2,Home Phone,Mobile Phone,E-mail Address,E-mail 2 Address,E-mail Display Name\n" +
					",Bob,Cruz,,Sample Motors LLC,Buyer,2 Main St,Suite 5,Houston,TX,77049-1968,United States of America,,,(713) 555-0143,,,713-555-0144,bob@example.com,bob2@example.com,Bob Cruz\n",
				"Bob Cruz", `["bob@example.com","bob2@example.com"]`, `["+17135550143","+17135550144"]`, "2 Main St|Houston|TX|77049-1968|US",
			},
			"hubspot": {
				"Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Company Name,Job Title,Street Address,City,State/Region,Postal Code,Country/Region,Lifecycle Stage\n" +
					"101,Cy,Young,cy@example.com,(305) 555-0143,305.555.0144,Sample Motors LLC,Buyer,3 Main St,Miami,Florida,33101,United States,Lead\n",
				"Cy Young", `["cy@example.com"]`, `["+13055550143","+13055550144"]`, "3 Main St|Miami|FL|33101|US",
			},
			"salesforce": {
				"Salutation,First Name,Last Name,Account Name,Title,Email,Phone,Mobile,Mailing Street,Mailing City,Mailing State/Province,Mailing Zip/Postal Code,Mailing Country\n" +
					"Ms.,Di,Vu,Sample Motors LLC,Buyer,di@example.com;di2@example.com,(602) 555-0143,602 555 0144,4 Main St,Phoenix,Arizona,85001,USA\n",
				"Di Vu", `["di@example.com","di2@example.com"]`, `["+16025550143","+16025550144"]`, "4 Main St|Phoenix|AZ|85001|US",
			},
			"quickbooks": {
				"Customer,Company,Street Address,City,State,Country,Zip,Phone,Email,Open Balance\n" +
					"Sample Motors LLC,Sample Motors LLC,5 Main St,Denver,CO,USA,80202,(303) 555-0143,books@example.com, $ -   \n",
				"Sample Motors LLC", `["books@example.com"]`, `["+13035550143"]`, "5 Main St|Denver|CO|80202|US",
			},
		} {
			sent := o.sent(t, "contacts.contact", c.file)
			done := o.imported(t, sent)
			require.Equal(t, "completed 1 0", done.Get("state").String()+" "+done.Get("progress.created").Raw+" "+done.Get("progress.failed").Raw, name+done.Get("dry_run").Raw)
			made := o.get(t, "/contacts/api/v1/contacts?filter[email]="+gjson.Get(c.emails, "0").String()).Get("data.0")
			require.Equal(t, c.first, made.Get("name").String(), name)
			require.JSONEq(t, c.emails, made.Get("emails.#.address").Raw, name)
			require.JSONEq(t, c.phones, made.Get("phones.#.e164").Raw, name)
			at := made.Get("addresses.0.address")
			require.Equal(t, c.address, strings.Join([]string{at.Get("line1").String(), at.Get("city").String(), at.Get("state").String(), at.Get("postal_code").String(), at.Get("country").String()}, "|"), name)
		}
		sent := o.sent(t, "contacts.contact", "Customer,Contact,Fax,Favorite color\nSample Motors LLC,Ann Lee,2145550100,Blue\n")
		require.Equal(t, "name", column(sent, "Customer"))
		require.Contains(t, sent.Get("warnings").Raw, "Favorite color: The column goes to no field")
		require.Contains(t, sent.Get("warnings").Raw, "Fax: The column goes to no field")
		sent = o.sent(t, "carriers.carrier", "Legal name,Contact name,Contact email,Policy insurer,Insurance policy,Preferred\nHaul Co,Zed Quux,zed@example.com,Sample Insurance,C-1,often\n")
		require.Equal(t, []string{"people.name", "people.email", "insurance.insurer", "insurance.policy", ""}, []string{
			column(sent, "Contact name"), column(sent, "Contact email"), column(sent, "Policy insurer"), column(sent, "Insurance policy"), column(sent, "Preferred"),
		})
		require.Contains(t, sent.Get("warnings").Raw, "Preferred")
		require.Equal(t, "people.name", column(o.sent(t, "carriers.carrier", "Legal name,Contact\nHaul Co,Zed Quux\n"), "Contact"), "and not contact_uuid")
	})
}

func TestImport_MakesOneLoadOfTheRowsOfAnOrder(t *testing.T) {
	t.Parallel()
	filed(t, func(t *testing.T, o office) {
		customer := o.post(t, "/contacts/api/v1/contacts", object{"name": "Sample Motors LLC"}).OK(t).Get("uuid").String()
		file := "Order list of December,,,,,,,,,,,\n,,,,,,,,,,,\n" +
			"Order Number,Customer,Origin City,Origin State,Origin ZIP,Destination ZIP,VIN,Year,Make,Model,Price,Carrier Pay\n" +
			"A-1,Sample Motors LLC,Dallas,Texas,75201,33101,1HGCM82633A004352,2003,Honda,Accord, $ 600.00 ,400\n" +
			"A-1,Sample Motors LLC,Dallas,Texas,75201,33101,,2016,Mercedes-Benz,E350,\"$1,100.50\",900\n" +
			",,,,,,,,,,,\n" +
			"A-2,Sample Motors LLC,Houston,TX,770491968,33101,,2012,BMW,X6,$700,500\n" +
			"A-3,Sample Motors LLC,Dallas,TX,75201,33101,,2012,BMW,X6,$700,500\n" +
			"A-3,Sample Motors LLC,Austin,TX,78701,33101,,2013,BMW,X5,$700,500\n"
		sent := o.sent(t, "loads.load", file)
		require.Equal(t, []string{"external_id", "customer_uuid", "stops.venue.city", "stops.venue.state", "stops.venue.postal_code", "stops.2.venue.postal_code", "vehicles.vin", "vehicles.year", "vehicles.make", "vehicles.tariff", "vehicles.carrier_pay"}, []string{
			column(sent, "Order Number"), column(sent, "Customer"), column(sent, "Origin City"), column(sent, "Origin State"), column(sent, "Origin ZIP"), column(sent, "Destination ZIP"),
			column(sent, "VIN"), column(sent, "Year"), column(sent, "Make"), column(sent, "Price"), column(sent, "Carrier Pay"),
		}, sent.Raw)
		require.Equal(t, int64(5), sent.Get("rows").Int(), "rows of commas are none")
		done := o.imported(t, sent)
		require.Equal(t, "completed 2 1 2", done.Get("state").String()+" "+done.Get("progress.created").Raw+" "+done.Get("progress.updated").Raw+" "+done.Get("progress.failed").Raw, done.Raw)
		require.Contains(t, done.Get("dry_run.problems").Raw, "differ in")
		all := o.get(t, loadsPath+"?sort=created_at").Get("data")
		require.Equal(t, int64(2), all.Get("#").Int())
		require.JSONEq(t, `["A-1","A-2"]`, all.Get("#.external_id").Raw)
		one := all.Get("0")
		require.Equal(t, []string{customer, "Dallas", "Miami", "1700.50"}, []string{
			one.Get("customer_uuid").String(), one.Get("stops.0.venue.city").String(), one.Get("stops.1.venue.city").String(), one.Get("tariff").String(),
		})
		require.JSONEq(t, `["Accord","E350"]`, one.Get("vehicles.#.model").Raw)
		require.JSONEq(t, `["600.00","1100.50"]`, one.Get("vehicles.#.tariff").Raw)
		require.Equal(t, "77049-1968", all.Get("1.stops.0.venue.postal_code").String())
	})
}

func TestImport_GathersRowsAcrossTheChunksOfAFile(t *testing.T) {
	t.Parallel()
	filed(t, func(t *testing.T, o office) {
		o.post(t, "/contacts/api/v1/contacts", object{"name": "Sample Motors LLC"}).OK(t)
		var file strings.Builder
		file.WriteString("Order Number,Customer,Origin ZIP,Destination ZIP,Year,Make,Model,Price\n")
		const orders, each = 30, 7 // of a chunk of 200 rows, the last order goes on in the next
		for n := range orders * each {
			file.WriteString("B-" + strconv.Itoa(n/each) + ",Sample Motors LLC,75201,33101,2012,BMW,X6,100\n")
		}
		done := o.imported(t, o.sent(t, "loads.load", file.String()))
		require.Equal(t, "completed 30 180 0", done.Get("state").String()+" "+done.Get("progress.created").Raw+" "+done.Get("progress.updated").Raw+" "+done.Get("progress.failed").Raw, done.Get("problem").String())
		require.Equal(t, "30 180 0", done.Get("dry_run.created").Raw+" "+done.Get("dry_run.updated").Raw+" "+done.Get("dry_run.failed").Raw)
		for _, l := range o.get(t, loadsPath+"?per_page=100").Get("data").Array() {
			require.Equal(t, int64(each), l.Get("vehicles.#").Int(), l.Get("external_id").String())
		}
		o.post(t, exchangePath+"/imports/"+done.Get("uuid").String()+"/undo", nil).OK(t)
		o.Eventually(t, func() bool {
			return o.get(t, exchangePath+"/imports/"+done.Get("uuid").String()).Get("state").String() == "undone"
		}, "it can be taken back")
		require.Empty(t, o.get(t, loadsPath).Get("data").Array())
	})
}
