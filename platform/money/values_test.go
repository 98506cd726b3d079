package money_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// priced is a row of an area.
type priced struct {
	Price    money.Amount   `json:"price"`
	Currency money.Currency `json:"currency"`
}

func TestAmount_IsReadIntoItsNormalForm(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"price":"012.5","currency":"usd"}`:  `{"price":"12.50","currency":"USD"}`,
		`{"price":"-0","currency":"JPY"}`:     `{"price":"0.00","currency":"JPY"}`,
		`{"price":"0.12500","currency":null}`: `{"price":"0.125","currency":null}`,
		`{"price":null}`:                      `{"price":null,"currency":null}`,
	} {
		var row priced
		require.NoError(t, json.Unmarshal([]byte(given), &row))
		got, err := json.Marshal(row)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for given, problem := range map[string]string{
		`{"price":12.5}`:                  `must be a decimal number in a string, such as "12500.00".`,
		`{"price":""}`:                    `must be a decimal number in a string, such as "12500.00".`,
		`{"price":"1e3"}`:                 `must be a decimal number in a string, such as "12500.00".`,
		`{"price":"1234567890123456789"}`: "must not have more than 18 digits before the point.",
		`{"currency":"dollar"}`:           "must be a three-letter ISO 4217 currency code, such as USD.",
		`{"currency":"XXX"}`:              "must be a three-letter ISO 4217 currency code, such as USD.",
		`{"currency":840}`:                "must be a three-letter ISO 4217 currency code, such as USD.",
	} {
		err := json.Unmarshal([]byte(given), new(priced))
		require.ErrorAs(t, err, new(field.Error), given)
		require.EqualError(t, err, problem, given)
	}
}

func TestAmount_IsAFieldAsWell(t *testing.T) {
	t.Parallel()
	for of, name := range map[reflect.Type]string{reflect.TypeFor[money.Amount](): "decimal", reflect.TypeFor[money.Currency](): "text"} {
		typ, ok := field.TypeOf(of)
		require.True(t, ok)
		require.Equal(t, name, typ.Name)
		values, err := typ.Values(nil)
		require.NoError(t, err)
		example := typ.Document("x").Description
		require.Equal(t, typ.About, example)
		cell := map[string]string{"decimal": " 12.5 ", "text": " usd "}[name]
		raw, err := values.FromCSV(cell)
		require.NoError(t, err)
		value, err := values.Parse(raw)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"decimal": "12.50", "text": "USD"}[name], values.CSV(value.JSON))
		key, err := values.Comparable(value.Key.(string))
		require.NoError(t, err)
		require.Equal(t, value.Key, key)
		raw, err = values.FromCSV("  ")
		require.NoError(t, err)
		require.Equal(t, "null", string(raw))
	}
}

func TestAmount_GoesThroughAColumn(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		db := databasetest.Open(t, url)
		number := "text"
		if db.Dialect() == database.Postgres {
			number = "numeric"
		}
		require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
			prices := db.Raw(ctx, "a table of the test")
			require.NoError(t, prices.Exec("CREATE TABLE prices (price "+number+", currency text)").Error)
			for _, want := range []priced{{"999999999999999999.000000000000000001", "USD"}, {"-12.50", "CAD"}, {"0.00", "JPY"}, {}} {
				require.NoError(t, prices.Exec("DELETE FROM prices").Error)
				require.NoError(t, prices.Exec("INSERT INTO prices VALUES (?, ?)", want.Price, want.Currency).Error)
				var got priced
				require.NoError(t, prices.Raw("SELECT * FROM prices").Scan(&got).Error)
				require.Equal(t, want, got)
			}

			return nil
		}))
	})
}
