package cargo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

func TestCorrect_DropsTheTrimOfAnotherModel(t *testing.T) {
	t.Parallel()
	year := 2012
	v := Vehicle{Make: "Honda", Model: "Accord", Trim: "EX-V6"}
	found := v.Correct(vehiclesapi.Decoded{Year: &year, Make: "BMW", Model: "535i"})
	require.Empty(t, v.Trim)
	require.Contains(t, found, Difference{"trim", "EX-V6", ""})

	same := Vehicle{Make: "BMW", Model: "535i", Trim: "xDrive", Year: v.Year}
	require.Empty(t, same.Correct(vehiclesapi.Decoded{Year: &year, Make: "BMW", Model: "535i"}))
	require.Equal(t, "xDrive", same.Trim, "what is written stays where the VIN says nothing else")
}
