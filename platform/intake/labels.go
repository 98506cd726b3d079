package intake

// labels are the fields of labels without case, spaces and punctuation.
func labels() map[string]Field {
	all := map[string]Field{}
	add := func(f Field, names ...string) {
		for _, n := range names {
			all[n] = f
		}
	}
	for _, of := range []string{"", "customer", "contact", "shipper", "client"} {
		add(First, of+"firstname", of+"fname", of+"first")
		add(Last, of+"lastname", of+"lname", of+"last", of+"surname")
		add(Name, of+"name", of+"fullname")
		add(Email, of+"email", of+"emailaddress", of+"mail")
		add(Phone, of+"phone", of+"phonenumber", of+"telephone", of+"tel", of+"cell", of+"cellphone", of+"mobile", of+"dayphone", of+"homephone")
		add(Company, of+"company", of+"companyname", of+"businessname", of+"dealership")
	}
	add(Name, "customer", "contact", "yourname")
	add(Day, "movedate", "movingdate", "shipdate", "shippingdate", "firstavail", "firstavailable", "availabledate", "firstavailabledate", "availablefrom", "pickupdate",
		"estimatedshipdate", "estimatedpickupdate", "date", "transportdate", "requestedpickupdate")
	add(Transport, "shipvia", "trailertype", "transporttype", "carriertype", "transport", "typeoftransport", "transportmethod", "trailer", "shippingtype")
	for _, end := range []struct {
		names                   []string
		whole, city, state, zip Field
	}{
		{[]string{"origin", "pickup", "from", "shipfrom", "movefrom", "movingfrom", "start", "pickuplocation"}, Origin, OriginCity, OriginState, OriginZIP},
		{[]string{"destination", "dest", "delivery", "dropoff", "to", "shipto", "moveto", "movingto", "deliverylocation", "dropofflocation"}, Dest, DestCity, DestState, DestZIP},
	} {
		for _, n := range end.names {
			add(end.whole, n, n+"location", n+"address", n+"place")
			add(end.city, n+"city", "city"+n)
			add(end.state, n+"state", n+"province", "state"+n)
			add(end.zip, n+"zip", n+"zipcode", n+"postalcode", n+"postcode", "zip"+n)
		}
	}
	for _, of := range []string{"", "vehicle", "vehicles", "car", "auto"} {
		add(year, of+"year")
		add(carMake, of+"make", of+"manufacturer")
		add(model, of+"model")
		add(trim, of+"trim")
		add(kind, of+"type", of+"bodytype")
		add(vin, of+"vin", of+"vinnumber")
		add(operable, of+"condition", of+"running", of+"runningcondition", of+"operable", of+"isoperational", of+"operational", of+"run", of+"runs", of+"isrunning")
	}
	add(vehicle, "vehicle", "vehicles", "car", "cars", "auto", "yearmakemodel", "vehicledescription")
	add(ExternalID, "leadid", "externalid", "reference", "referenceid", "quoteid", "requestid")
	add(Notes, "comments", "comment", "notes", "note", "message", "additionalinformation", "details", "specialinstructions")

	return all
}
