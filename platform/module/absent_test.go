package module_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/module/internal/carriersapi"
)

func TestAbsent_IsTrueOnlyForWhatAnAreaListensToThatIsOff(t *testing.T) {
	t.Parallel()
	removing := reflect.TypeFor[carriersapi.Removing]()
	listens := module.New("sms", "").Listens("loads", "carr_iers")
	require.True(t, module.IsAbsent([]module.Module{listens}, "sms", removing))
	require.False(t, module.IsAbsent([]module.Module{listens, module.New("carr_iers", "")}, "sms", removing))
	require.False(t, module.IsAbsent([]module.Module{module.New("sms", "")}, "sms", removing))
	require.False(t, module.IsAbsent([]module.Module{listens}, "loads", removing))
	require.False(t, module.IsAbsent([]module.Module{listens}, "sms", reflect.TypeFor[register]()))
}
