package loads_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"golang.org/x/text/encoding/charmap"
)

// ann are the lines of a request beside its vehicle.
const ann = "Name: Ann Lee\nPhone: 214 555 0143\nPickup: 75201\nDelivery: 33101\n"

// vehicle is the first vehicle of the load that a source has sent.
func (o office) vehicle(t *testing.T, made gjson.Result) string {
	t.Helper()
	v := o.get(t, loadsPath+"/"+made.Get("uuid").String()).Get("vehicles.0")

	return strings.Join([]string{v.Get("year").String(), v.Get("make").String(), v.Get("model").String(), v.Get("type").String()}, "|")
}

func TestIntake_KeepsTheMakeThatIsWritten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		source := o.source(t)
		for _, c := range []struct{ format, payload, want, state string }{
			{"text", ann + "Vehicle: 2016 Mercedes-Benz E350", "2016|Mercedes-Benz|E-Class|sedan", "lead"},
			{"text", ann + "Year: 2019\nMake: MERCEDES-BENZ\nModel: GLC", "2019|Mercedes-Benz|GLC-Class|suv", "lead"},
			{"json", `{"name": "Ann Lee", "phone": "214 555 0143", "origin_zip": "75201", "destination_zip": "33101",
				"vehicles": [{"vehicle_year": "2016", "vehicle_make": "Mercedes-Benz", "vehicle_model": "E350", "vehicle_type": "Sedan"}]}`, "2016|Mercedes-Benz|E-Class|sedan", "lead"},
			{"csv", "Name,Phone,Origin Zip,Destination Zip,Year,Make,Model\nAnn Lee,2145550144,75201,33101,2020,Mercedes,GLE 350\n", "2020|Mercedes-Benz|GLE-Class|suv", "lead"},
			{"adf", `<adf><prospect><vehicle><year>2008</year><make>Yamaha</make><model>R6</model></vehicle><customer><contact><name part="full">Ann Lee</name>
				<phone>2145550143</phone></contact><comments>Pickup: 75201
				Delivery: 33101</comments></customer></prospect></adf>`, "2008|Yamaha|YZF-R6|motorcycle", "lead"},
			{"text", ann + "Year: 2016\nMake: Mercedes-Benz\nModel: Mustang", "2016|Mercedes-Benz|Mustang|other", "draft"},
			{"text", ann + "Vehicle: 2016 Lexus F150", "2016|Lexus|F150|other", "draft"},
		} {
			made := o.sends(t, source, c.format, c.payload)[0]
			require.Equal(t, c.want, o.vehicle(t, made), c.payload)
			require.Equal(t, c.state, made.Get("state").String(), c.payload)
			if c.state == "draft" {
				require.Contains(t, made.Get("problem").String(), "Check the vehicle")
			}
		}
		quick := o.post(t, base+"/quick_loads", object{"from": "75201", "to": "33101", "vehicles": []string{"2016 Mercedes-Benz Mustang"}, "customer_uuid": o.customer}).OK(t)
		require.Equal(t, "Mercedes-Benz", quick.Get("load.vehicles.0.make").String())
		require.Equal(t, "vehicles.0.model", quick.Get(`load.warnings.#(code=="loads.model_unknown").field`).String())
		require.Less(t, quick.Get("parsed.0.confidence").Float(), 0.8)

		typed := o.post(t, loadsPath, o.sold(object{"make": "Mercedes-Benz", "model": "Mustang"}, object{"make": "Mercedes-Benz", "model": "E350"}, object{"make": "Zzz", "model": "Q", "type": "van"})).OK(t)
		require.JSONEq(t, `["vehicles.0.model"]`, typed.Get(`warnings.#(code=="loads.model_unknown")#.field`).Raw, "a type that is given is right")
	})
}

func TestVehicles_FromBefore1981AreNotDecoded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		made := o.post(t, loadsPath, o.sold(
			object{"vin": "1Z37J3S400777", "year": 1973, "make": "Chevrolet", "model": "Corvette"}, object{"vin": "1Q87T3N100777", "make": "Chevrolet", "model": "Camaro"},
		)).OK(t)
		require.Equal(t, []string{"coupe", "1973", "Chevrolet"}, []string{
			made.Get("vehicles.0.type").String(), made.Get("vehicles.0.year").String(), made.Get("vehicles.0.make").String(),
		})
		require.Contains(t, []string{"coupe", "convertible"}, made.Get("vehicles.1.type").String())
		require.JSONEq(t, `["loads.vin_legacy"]`, made.Get(`warnings.#(field=="vehicles.0.vin")#.code`).Raw)
		require.JSONEq(t, `["loads.vin_legacy"]`, made.Get(`warnings.#(field=="vehicles.1.vin")#.code`).Raw)
		require.False(t, made.Get(`warnings.#(code=="loads.decode_differs")`).Exists())
	})
}

func TestQuickLoads_ReadPlacesAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		for text, want := range map[string]string{
			"Dallas, Texas": "Dallas|TX||US", "Dallas, Texas 75201": "Dallas|TX|75201|US", "75201, TX": "Dallas|TX|75201|US", "77049 1968": "Houston|TX|77049-1968|US",
			"770491968": "Houston|TX|77049-1968|US", "Toronto, ON": "Toronto|ON||CA", "Toronto, Ontario": "Toronto|ON||CA", "77049\u20111968": "Houston|TX|77049-1968|US",
			"Charleston, West Virginia": "Charleston|WV||US", "New York, New York": "New York|NY||US", "Kansas City Missouri": "Kansas City|MO||US", "Dallas TX, USA": "Dallas|TX||US",
			"1500 Marilla St, Dallas, TX 75201": "Dallas|TX|75201|US", "Toronto, ON M5V 3L9": "Toronto|ON|M5V 3L9|CA", "Vancouver, British Columbia, Canada": "Vancouver|BC||CA",
		} {
			r := o.post(t, base+"/quick_loads", object{"from": text, "to": "33101", "vehicles": []string{"2012 BMW X6"}, "customer_uuid": o.customer})
			require.Equal(t, http.StatusOK, r.Status, text+": "+string(r.Body))
			v := r.Get("load.stops.0.venue")
			require.Equal(t, want, strings.Join([]string{v.Get("city").String(), v.Get("state").String(), v.Get("postal_code").String(), v.Get("country").String()}, "|"), text)
		}
		for _, text := range []string{"Dallas", "Texas", "nowhere at all"} {
			o.post(t, base+"/quick_loads", object{"from": text, "to": "33101", "vehicles": []string{"2012 BMW X6"}, "customer_uuid": o.customer}).
				Refused(t, http.StatusUnprocessableEntity, "loads.invalid_load")
		}
	})
}

func TestIntake_MakesAContactOfASecondPersonWithThePhone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		customer := func(name, email, phone string) gjson.Result {
			r := o.post(t, base+"/quick_loads", object{
				"from": "75201", "to": "33101", "vehicles": []string{"2012 BMW X6"}, "customer": object{"name": name, "email": email, "phone": phone},
			}).OK(t)

			return gjson.Parse(`{"id":"` + r.Get("load.customer_uuid").String() + `","known":` + r.Get("customer_known").Raw + `}`)
		}
		first := customer("Ann Lee", "ann@example.com", "(214) 555\u20110143")
		require.False(t, first.Get("known").Bool())
		second := customer("Bob Cruz", "bob@example.com", "\u202a+1\u00a0214\u00a0555\u00a00143\u202c")
		require.False(t, second.Get("known").Bool())
		require.NotEqual(t, first.Get("id").String(), second.Get("id").String())
		bob := o.get(t, "/contacts/api/v1/contacts/"+second.Get("id").String())
		require.Equal(t, []string{"Bob Cruz", "bob@example.com", "+12145550143"}, []string{bob.Get("name").String(), bob.Get("email").String(), bob.Get("phone").String()})
		for _, again := range []gjson.Result{
			customer("Bob Cruz", "bob@example.com", "2145550143"), customer("B. Cruz", "bcruz@work.example.com", "tel:+12145550143"), customer("Robert", "BOB@example.com", ""),
		} {
			require.True(t, again.Get("known").Bool())
			require.Equal(t, second.Get("id").String(), again.Get("id").String())
		}
		require.Equal(t, first.Get("id").String(), customer("Ann M. Lee", "ann.lee@work.example.com", "2145550143").Get("id").String())
	})
}

func TestIntake_ReadsADFAsItComes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		source := o.source(t)
		person := func(name, phone, comments string) string {
			return `<customer><contact><name part="full">` + name + `</name><phone>` + phone + `</phone><email>` + phone + `@example.com</email></contact><comments>` + comments + `</comments></customer>`
		}
		const to = "Pickup: 75201\nDelivery: 33101"
		x6 := `<vehicle interest="buy"><year>2012</year><make>BMW</make><model>X6</model></vehicle>`
		two := `<?xml version="1.0" encoding="ISO-8859-1"?><?adf version="1.0"?><adf><prospect><id>1</id>` + x6 + `<vehicle interest="Trade-In"><year>2003</year><make>Honda</make><model>Accord</model></vehicle>` +
			person("Ann Lee & Sons", "2145550143", to) + `</prospect><prospect><id>2</id>` + x6 + person("José Cruz", "2145550144", to) + `</prospect></adf>`
		made := o.sends(t, source, "adf", two)
		require.Len(t, made, 2)
		for i, name := range []string{"Ann Lee & Sons", "José Cruz"} {
			require.Equal(t, "lead", made[i].Get("state").String(), made[i].Raw)
			l := o.get(t, loadsPath+"/"+made[i].Get("uuid").String())
			require.Equal(t, name, o.get(t, "/contacts/api/v1/contacts/"+l.Get("customer_uuid").String()).Get("name").String())
			require.Equal(t, int64(1), l.Get("vehicles.#").Int(), "what is traded in stays")
		}
		require.Contains(t, o.get(t, loadsPath+"/"+made[0].Get("uuid").String()).Get("instructions_private").String(), "Honda Accord")

		latin, err := charmap.Windows1252.NewEncoder().String(strings.NewReplacer("ISO-8859-1", "windows-1252", "<id>1</id>", "", "<id>2</id>", "", "Ann", "Zoë", "2145550143", "2145550163", "2145550144", "2145550164").Replace(two))
		require.NoError(t, err)
		mailed := o.sends(t, source, "mail", "Message-ID: <77@example.com>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/xml; name=lead.xml\r\n"+
			"Content-Transfer-Encoding: base64\r\n\r\n"+base64.StdEncoding.EncodeToString([]byte(latin))+"\r\n--b--\r\n")
		require.Len(t, mailed, 2)
		l := o.get(t, loadsPath+"/"+mailed[0].Get("uuid").String())
		require.Equal(t, "Zoë Lee & Sons", o.get(t, "/contacts/api/v1/contacts/"+l.Get("customer_uuid").String()).Get("name").String())

		broken := o.sends(t, source, "adf", `<adf><prospect><id>9</id>`+x6+person("Cy Young", "2145550149", to)+`</prospect><prospect><vehicle><year>20`)
		require.Equal(t, "draft", broken[0].Get("state").String())
		require.Contains(t, broken[0].Get("problem").String(), "breaks off")
		require.Equal(t, "2012|BMW|X6|suv", o.vehicle(t, broken[0]), "what was read of it")
		upper := o.sends(t, source, "adf", strings.NewReplacer("adf>", "ADF>", "prospect>", "PROSPECT>").Replace(`<adf><prospect><id>10</id>`+x6+person("Di Vu &nbsp;", "2145550150", to)+`</prospect></adf>`))
		require.Equal(t, "lead", upper[0].Get("state").String())
	})
}
