package pricing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Transport is what is to be priced. Its JSON is what the hash of the context is of.
type Transport struct {
	Miles         string `json:"miles"`
	Estimated     bool   `json:"estimated"`
	Type          string `json:"transport_type"`
	Expedited     bool   `json:"expedited"`
	OriginState   string `json:"origin_state,omitempty"`
	DestState     string `json:"destination_state,omitempty"`
	OriginZIP3    string `json:"origin_zip3,omitempty"`
	DestZIP3      string `json:"destination_zip3,omitempty"`
	RemoteEnds    int64  `json:"remote_ends"`
	AvailableDays *int64 `json:"available_in_days"`
	Month         *int64 `json:"month"`
	Lane          Lane   `json:"lane"`
	Cars          []Car  `json:"vehicles"`
}

// Lane is what carriers got for a vehicle on the lane lately, "" where too few loads say so.
type Lane struct {
	Loads int64  `json:"loads"`
	P25   string `json:"p25,omitempty"`
	P50   string `json:"p50,omitempty"`
	P75   string `json:"p75,omitempty"`
}

// Car is a vehicle of a transport.
type Car struct {
	Name     string `json:"vehicle"`
	Type     string `json:"type,omitempty"`
	Size     string `json:"size"`
	Operable bool   `json:"operable"`
	Modified bool   `json:"modified"`
}

// Price is a price, and how it came to be.
type Price struct {
	Cars                          []CarPrice
	CarrierPay, BrokerFee, Tariff money.Amount
	Options                       []OptionPrice
	Hash, Confidence              string
	Warnings                      []string
	Inputs                        Transport
	Fee                           []Applied
}

// CarPrice is the price of a vehicle.
type CarPrice struct {
	CarrierPay, BrokerFee, Tariff money.Amount
	Factors                       []Applied
}

// OptionPrice is the tariff of an option.
type OptionPrice struct {
	Option

	Tariff money.Amount
}

// Applied is what became of a factor.
type Applied struct {
	Key     string  `json:"key"`
	Label   string  `json:"label"`
	In      *string `json:"in"`
	Out     string  `json:"out,omitempty"`
	Value   string  `json:"value,omitempty"`
	Why     string  `json:"why,omitempty"`
	Skipped string  `json:"skipped,omitempty"`
}

// FactorError says which factor had no price, and why.
type FactorError struct{ Factor, Reason string }

// Error implements error.
func (f *FactorError) Error() string { return "factor " + f.Factor + ": " + f.Reason }

// limit is what no amount comes to: a hundred million.
const limit = 100_000_000

// Apply prices a transport in a currency. Error: *FactorError.
func (c *Compiled) Apply(t Transport, in money.Currency) (Price, error) {
	p := Price{Inputs: t, Hash: c.hash(t), Warnings: []string{}, Confidence: confidence(t)}
	if t.Estimated {
		p.Warnings = append(p.Warnings, "The miles are estimated: typically within 8 %, up to 20 % off.")
	}
	pay := money.Zero(in)
	weights := make([]money.Amount, len(t.Cars))
	for i := range t.Cars {
		r := &run{compiled: c, in: in, values: values(t, i, len(c.steps)), warned: &p.Warnings}
		amount, factors, err := r.apply(ofPay)
		if err != nil {
			return p, err
		}
		p.Cars = append(p.Cars, CarPrice{CarrierPay: amount.Amount, Factors: factors})
		weights[i] = amount.Amount
		if pay, err = pay.Add(amount); err != nil {
			return p, &FactorError{"", err.Error()}
		}
	}
	r := &run{compiled: c, in: in, values: values(t, 0, len(c.steps)), warned: &p.Warnings}
	r.set("carrier_pay", pay.Amount)
	fee, factors, err := r.apply(ofFee)
	if err != nil {
		return p, err
	}
	p.CarrierPay, p.BrokerFee, p.Fee = pay.Amount, fee.Amount, factors
	tariff, err := pay.Add(fee)
	if err != nil {
		return p, &FactorError{"", err.Error()}
	}
	p.Tariff = tariff.Amount

	return p, c.share(&p, fee, weights, in)
}

// share shares the fee among the vehicles, and prices the options.
func (c *Compiled) share(p *Price, fee money.Money, weights []money.Amount, in money.Currency) error {
	shares, err := fee.Split(len(p.Cars))
	if pay, _ := money.Of(p.CarrierPay, in); err == nil && pay.Sign() > 0 { //nolint:errcheck // made here
		shares, err = fee.Allocate(weights...)
	}
	if err != nil {
		return &FactorError{"", err.Error()}
	}
	for i := range p.Cars {
		pay := money.Money{Amount: p.Cars[i].CarrierPay, Currency: in}
		sum, err := pay.Add(shares[i])
		if err != nil {
			return &FactorError{"", err.Error()}
		}
		p.Cars[i].BrokerFee, p.Cars[i].Tariff = shares[i].Amount, sum.Amount
	}
	tariff := money.Money{Amount: p.Tariff, Currency: in}
	for _, o := range c.options {
		more, err := tariff.Mul(money.Amount(o.factor.Text('f')))
		if err == nil {
			more, err = more.Mul("0.01")
		}
		if err == nil {
			more, err = more.Round(money.HalfUp)
		}
		if err == nil {
			more, err = tariff.Add(more)
		}
		if err != nil {
			return &FactorError{"options", err.Error()}
		}
		p.Options = append(p.Options, OptionPrice{o.option, more.Amount})
	}

	return nil
}

// hash is equal for equal formulas and transports.
func (c *Compiled) hash(t Transport) string {
	text, err := json.Marshal(struct {
		Formula   Formula   `json:"formula"`
		Transport Transport `json:"transport"`
	}{c.formula, t})
	if err != nil {
		return "" // texts and numbers always have a JSON
	}
	sum := sha256.Sum256(text)

	return "sha256:" + hex.EncodeToString(sum[:])
}

// confidence says how well a price is founded.
func confidence(t Transport) string {
	const enough = 5
	switch own := t.Lane.Loads >= enough; {
	case own && !t.Estimated:
		return "high"
	case own || !t.Estimated:
		return "medium"
	}

	return "low"
}

// values are those of the inputs for a vehicle, and room for those of the factors.
func values(t Transport, car, factors int) []any {
	number := func(text string) any {
		made, err := decimal(text)
		if err != nil {
			return nil
		}

		return made
	}
	whole := func(n *int64) any {
		if n == nil {
			return nil
		}

		return apd.New(*n, 0)
	}
	v := t.Cars[car]
	all := []any{
		number(t.Miles), apd.New(int64(len(t.Cars)), 0), apd.New(int64(car+1), 0), v.Type, v.Size, v.Operable, v.Modified, t.Type, t.Expedited,
		t.OriginState, t.DestState, t.OriginZIP3, t.DestZIP3, apd.New(t.RemoteEnds, 0), whole(t.AvailableDays), whole(t.Month), apd.New(t.Lane.Loads, 0),
		number(t.Lane.P25), number(t.Lane.P50), number(t.Lane.P75), apd.New(0, 0), nil,
	}

	return append(all, make([]any, factors)...)
}

// run is the factors of one amount being applied.
type run struct {
	compiled *Compiled
	in       money.Currency
	values   []any
	warned   *[]string
}

func (r *run) set(name string, a money.Amount) {
	made, err := decimal(string(a))
	if err == nil {
		r.values[known(name)] = made
	}
}

// apply applies the factors of an amount, from 0.
func (r *run) apply(of string) (money.Money, []Applied, error) {
	amount, applied := money.Zero(r.in), []Applied{}
	eval := &formula.Evaluation{Values: r.values}
	for i := range r.compiled.steps {
		s := &r.compiled.steps[i]
		if s.Of != of {
			continue
		}
		r.set("amount", amount.Amount)
		one, next, err := r.one(eval, s, amount)
		if err != nil {
			return amount, nil, &FactorError{s.Key, reason(err)}
		}
		if len(applied) > 0 || s.Kind != kindMiles {
			was := string(amount.Amount)
			one.In = &was
		}
		if one.Skipped == "" {
			amount, one.Out = next, string(next.Amount)
		}
		made, err := decimal(string(amount.Amount))
		if err != nil {
			return amount, nil, &FactorError{s.Key, err.Error()}
		}
		r.values[len(inputs)+i] = made
		applied = append(applied, one)
	}

	return amount, applied, nil
}

// reason is an error as people read it.
func reason(err error) string {
	if e, is := errors.AsType[formula.Error](err); is {
		return string(e) + "."
	}

	return err.Error()
}

// one applies a factor.
func (r *run) one(eval *formula.Evaluation, s *step, amount money.Money) (Applied, money.Money, error) {
	a := Applied{Key: s.Key, Label: s.Label}
	if s.when != nil {
		holds, err := s.when.Run(eval)
		if err != nil {
			return a, amount, err
		}
		if holds != true {
			a.Skipped = r.told(formula.NamesIn(s.When))

			return a, amount, nil
		}
	}
	if s.Kind == kindMiles {
		return r.miles(a, s, amount)
	}
	value, err := s.value.Run(eval)
	if err != nil {
		return a, amount, err
	}
	by, there := value.(*apd.Decimal)
	if !there {
		a.Skipped = r.told(formula.NamesIn(s.Value))
		if s.Required {
			return a, amount, errors.New("something is not known: " + a.Skipped)
		}
		*r.warned = append(*r.warned, s.Label+" was left out: "+a.Skipped+".")

		return a, amount, nil
	}
	a.Value = plain(by)
	if read := formula.NamesIn(s.Value); len(read) > 0 {
		a.Why = s.Value + ", with " + r.told(read)
	}
	next, err := r.reckon(s.Kind, amount, by)

	return a, next, err
}

// told says what some names stand for: "operable is true".
func (r *run) told(names []string) string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		at := known(name)
		if at < 0 {
			for i := range r.compiled.steps {
				if r.compiled.steps[i].Key == name {
					at = len(inputs) + i
				}
			}
		}
		text := "not known"
		switch v := r.values[at].(type) {
		case *apd.Decimal:
			text = plain(v)
		case string:
			text = cmpOr(v, "not known")
		case bool:
			text = strconv.FormatBool(v)
		}
		all = append(all, name+" is "+text)
	}

	return strings.Join(all, ", ")
}

// plain writes a number without needless digits.
func plain(n *apd.Decimal) string {
	text := n.Text('f')
	if whole, rest, found := strings.Cut(text, "."); found {
		if rest = strings.TrimRight(rest, "0"); rest == "" {
			return whole
		}

		return whole + "." + rest
	}

	return text
}

// miles prices the miles by tiers.
func (r *run) miles(a Applied, s *step, amount money.Money) (Applied, money.Money, error) {
	all, there := r.values[known("miles")].(*apd.Decimal)
	if !there {
		return a, amount, errors.New("the miles are not known")
	}
	math, sum, from, told := formula.Arithmetic(), new(apd.Decimal), new(apd.Decimal), []string{}
	for i, t := range s.Tiers {
		to := new(apd.Decimal).Set(all)
		if end := apd.New(t.UpTo, 0); t.UpTo > 0 && end.Cmp(all) < 0 {
			to = end
		}
		part, price := new(apd.Decimal), new(apd.Decimal)
		if _, err := math.Sub(part, to, from); err != nil {
			return a, amount, err
		}
		if part.Sign() <= 0 {
			break
		}
		if _, err := math.Mul(price, part, s.tiers[i]); err != nil {
			return a, amount, err
		}
		if _, err := math.Add(sum, sum, price); err != nil {
			return a, amount, err
		}
		told, from = append(told, plain(part)+" at "+string(t.Rate)), to
	}
	a.Why = strings.Join(told, ", ")
	next, err := r.rounded(sum)

	return a, next, err
}

// reckon is what a factor makes of an amount.
func (r *run) reckon(kind string, amount money.Money, by *apd.Decimal) (money.Money, error) {
	now, err := decimal(string(amount.Amount))
	if err != nil {
		return amount, err
	}
	math, out := formula.Arithmetic(), new(apd.Decimal).Set(now)
	switch kind {
	case kindSet:
		out.Set(by)
	case kindMultiply:
		_, err = math.Mul(out, now, by)
	case kindAdd:
		_, err = math.Add(out, now, by)
	case kindPercent:
		if _, err = math.Mul(out, now, by); err == nil {
			if _, err = math.Mul(out, out, apd.New(1, -2)); err == nil { //nolint:mnd // a hundredth
				_, err = math.Add(out, now, out)
			}
		}
	case kindMinimum:
		if now.Cmp(by) < 0 {
			out.Set(by)
		}
	case kindMaximum:
		if now.Cmp(by) > 0 {
			out.Set(by)
		}
	case kindRoundUp:
		if by.Sign() <= 0 {
			return amount, errors.New("it rounds to " + plain(by) + ", which is no step")
		}
		if _, err = math.Quo(out, now, by); err == nil {
			if _, err = math.Ceil(out, out); err == nil {
				_, err = math.Mul(out, out, by)
			}
		}
	}
	if err != nil {
		return amount, err
	}

	return r.rounded(out)
}

// rounded is a number as an amount that can be paid.
func (r *run) rounded(n *apd.Decimal) (money.Money, error) {
	if n.Sign() < 0 {
		return money.Money{}, errors.New("the amount comes to " + plain(n) + ", which is less than nothing")
	}
	if n.Cmp(apd.New(limit, 0)) > 0 {
		return money.Money{}, fmt.Errorf("the amount comes to more than %d", limit)
	}
	out := new(apd.Decimal)
	if _, err := formula.Arithmetic().Quantize(out, n, -int32(r.in.Digits())); err != nil { //nolint:gosec // at most 4
		return money.Money{}, err
	}

	return money.Of(money.Amount(out.Text('f')), r.in)
}
