package regulator_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/regulator"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	area    = "/carriers/api/v1"
	sandbox = "modules.carriers.regulator.adapter=sandbox"
)

func TestMain(m *testing.M) { moduletest.Main(m, regulator.Module, modules()...) }

func modules() []module.Module {
	return []module.Module{attachments.Module, carriers.Module, companies.Module, contacts.Module, regulator.Module}
}

func TestNumbers_AreReadInEveryFormThatPeopleWrite(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for _, number := range []string{"9900001", "USDOT%209900001", "dot%23009900001", "9900001C", "MC-990001", "mc%200-990001", "MC0000990001"} {
			got := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/"+number, nil).OK(t)
			require.Equal(t, int64(9900001), got.Get("usdot").Int(), number)
			require.NotEmpty(t, got.Get("identity.source.as_of").String())
		}
		for _, number := range []string{"MC-", "acme", "123456789", "MC-123456789", "000"} {
			refused := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/"+number, nil).
				Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_number")
			require.Contains(t, refused.Get("errors.number.0").String(), "must be", number)
		}
		a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1234567", nil).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
		a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/MX-1", nil).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
	}, moduletest.Set(sandbox))
}

func TestRegistry_SaysUnavailableWhileNothingIsImported(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		got := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/123", nil).OK(t)
		require.Equal(t, "unavailable", got.Get("identity.source.outcome").String())
		require.Equal(t, "unavailable", got.Get("insurance.liability.outcome").String())
		require.Equal(t, "null", got.Get("authority.property_active").Raw)
		health := a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t)
		require.False(t, health.Get("ok").Bool())
		require.Contains(t, health.Get("regulator.why").String(), "regulator import --set=census")
	}, moduletest.Alone())
}

func TestLookup_KnowsTheSandbox(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		require.Equal(t, "Sample Auto Lines 001 LLC",
			a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=auto%20li", nil).OK(t).Get("data.0.legal_name").String())
		require.Empty(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=s", nil).OK(t).Get("data").Array())
	}, moduletest.Set(sandbox))
}

func TestPublicLookup_IsOffMaskedAndThrottled(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, "", http.MethodGet, area+"/public/lookup?usdot=9900001", nil).Refused(t, http.StatusNotFound, "carriers.public_lookup_off")
	}, moduletest.Set(sandbox))
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		got := a.Call(t, "", http.MethodGet, area+"/public/lookup?usdot=9900001", nil).OK(t)
		require.JSONEq(t, `{"usdot": "9900001", "name": "Sample Auto Lines 001 LLC", "city": "Springfield", "state": "TX", "authority_active": true}`, string(got.Body))
		for n := range 9 {
			a.Call(t, "", http.MethodGet, fmt.Sprintf("%s/public/lookup?usdot=%d", area, n+1), nil).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
		}
		refused := a.Call(t, "", http.MethodGet, area+"/public/lookup?usdot=11", nil).Refused(t, http.StatusTooManyRequests, "carriers.too_many_lookups")
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
	}, moduletest.Set(sandbox, "modules.carriers.public_lookup=true"))
}

// command runs the command of the area.
func command(t *testing.T, a *moduletest.App, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := a.Commands.Find("carriers", "regulator")(t.Context(), &out, args)

	return out.String(), err
}

func imported(t *testing.T, a *moduletest.App, set, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), set+".csv")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	out, err := command(t, a, "--set="+set, "--date=2026-11-20", "import", file)
	require.NoError(t, err)

	return out
}

const censusHead = "DOT_NUMBER,LEGAL_NAME,DBA_NAME,STATUS_CODE,PHY_STREET,PHY_CITY,PHY_STATE,PHY_ZIP,PHONE,EMAIL_ADDRESS,DOCKET1PREFIX,DOCKET1,CRGO_MOTOVEH,CARRIER_OPERATION\n"

// census writes n carriers from 1001 on.
func census(n int) string {
	var text strings.Builder
	text.WriteString(censusHead)
	for i := range n {
		fmt.Fprintf(&text, "%d,Big Haul %d LLC,Yellow Rose %d,A,%d Main St,Dallas,TX,75201,2145550143,Office@Example.com,MC,%d,X,A\n", 1001+i, i, i, i, 500+i)
	}

	return text.String()
}

func TestImport_ReadsLatin1AndKeepsBrokenRowsApart(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "census.csv")
		content := census(2500) + "77,Transportes Pe\xf1a SA,,A,,Laredo,TX,78040,,,,,,A\n" +
			"78,too,few\nabc,No Number,,A,,,,,,,,,,\n79,\"no end,,A,,,,,,,,,,\n80,Last One Inc,,A,,Waco,TX,,,,,,,\n"
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		out, err := command(t, a, "--set=census", "import", file)
		require.NoError(t, err)
		require.Equal(t, "census: 2502 rows read, 2502 written, 0 deleted, 3 broken\n", out)
		broken, err := os.ReadFile(file + ".errors.csv")
		require.NoError(t, err)
		require.Len(t, strings.Split(strings.TrimSpace(string(broken)), "\n"), 3)
		require.NotContains(t, string(broken), "carriers.invalid_number", "reasons are for people")

		found := a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=pena&state=tx", nil).OK(t)
		require.Equal(t, "Transportes Peña SA", found.Get("data.0.legal_name").String())
		require.Equal(t, "80", a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=last", nil).OK(t).Get("data.0.usdot").String())
		require.Equal(t, "1010", a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=MC-509", nil).OK(t).Get("data.0.usdot").String())
		require.Equal(t, "1010", a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=1010", nil).OK(t).Get("data.0.usdot").String())
		require.Len(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=yellow", nil).OK(t).Get("data").Array(), 20)
		one := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/MC-509", nil).OK(t)
		require.Equal(t, "1010", one.Get("usdot").String())
		require.Equal(t, int64(2500), one.Get("sharing.phone").Int())
		require.Equal(t, int64(1), one.Get("sharing.address").Int(), "it shares it with nobody")
		require.True(t, one.Get("identity.motor_vehicles").Bool())
		a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/5", nil).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
	}, moduletest.Alone())
}

func TestImport_ResumesWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		// A broken row before the middle, one behind it, and one at the end; names in Latin-1.
		lines := strings.SplitAfter(strings.ReplaceAll(census(12_000), "Yellow Rose", "Se\xf1or"), "\n")
		lines[100], lines[9000] = lines[100]+"78,too,few\n", lines[9000]+"abc,No Number,,A,,,,,,,,,,\n"
		whole := strings.Join(lines, "") + "79,\"no end,,A,,,,,,,,,,\n"
		file := filepath.Join(t.TempDir(), "census.csv")
		require.NoError(t, os.WriteFile(file, []byte(whole), 0o600))
		// Half of the file, after which its disk fails.
		half := filepath.Join(t.TempDir(), "half")
		require.NoError(t, os.WriteFile(half, []byte(whole[:len(whole)/2]), 0o600))
		interrupted(t, a, half)
		states := a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t)
		require.Equal(t, "importing", states.Get("regulator.sets.0.state").String())
		require.Equal(t, int64(1), states.Get("regulator.sets.0.broken_rows").Int())
		require.Equal(t, "unavailable", a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/9", nil).OK(t).Get("identity.source.outcome").String(),
			"a set that was not read completely does not say what it does not have")

		out, err := command(t, a, "--set=census", "--date=2026-11-20", "import", file)
		require.NoError(t, err)
		require.Contains(t, out, "resumed at byte ")
		require.Contains(t, out, "census: 12000 rows read, 7001 written, 0 deleted, 3 broken")
		broken, err := os.ReadFile(file + ".errors.csv")
		require.NoError(t, err)
		require.Len(t, strings.Split(strings.TrimSpace(string(broken)), "\n"), 2, "the first is in the errors file of the interrupted import")
		require.Contains(t, imported(t, a, "census", whole), "12000 rows read, 0 written, 0 deleted, 3 broken")
		a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/9", nil).Refused(t, http.StatusNotFound, "carriers.not_in_registry")
		found := a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=senor%2011999", nil).OK(t)
		require.Equal(t, "Señor 11999", found.Get("data.0.dba").String())
		require.Equal(t, "Big Haul 0 LLC", a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=big%20haul%200", nil).OK(t).Get("data.0.legal_name").String())
	}, moduletest.Alone())
}

// interrupted imports a file behind whose end reading fails, as from a disk that goes away.
func interrupted(t *testing.T, a *moduletest.App, file string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	end := begun(ctx, t, a, file)
	cancel()
	require.Error(t, end())
}

// begun begins to import a file, and returns once a batch of it is stored. The function that it returns ends the file, and waits for the import.
func begun(ctx context.Context, t *testing.T, a *moduletest.App, file string) func() error {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	done := make(chan error, 1)
	go func() {
		var out bytes.Buffer
		done <- a.Commands.Find("carriers", "regulator")(ctx, &out, []string{"--set=census", "--date=2026-11-20", "import", fifo})
	}()
	writer, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	require.NoError(t, err)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = writer.Write(content)
	require.NoError(t, err)
	a.Eventually(t, func() bool {
		return a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t).Get("regulator.sets.0.offset").Int() > 0
	}, "a batch is stored")

	return func() error {
		require.NoError(t, writer.Close())

		return <-done
	}
}

func TestImport_OfTwoAtOnceTheSecondFails(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "census.csv")
		require.NoError(t, os.WriteFile(file, []byte(census(6000)), 0o600))
		slow := begun(t.Context(), t, a, file)
		imported(t, a, "census", census(6000))
		require.ErrorContains(t, slow(), "is being imported by another process")
		got := a.Call(t, a.Owner.Token, http.MethodGet, area+"/carriers/router/test", nil).OK(t)
		require.Equal(t, "complete", got.Get("regulator.sets.0.state").String())
		require.Equal(t, "Big Haul 5999 LLC", a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/7000", nil).OK(t).Get("identity.legal_name").String())
	}, moduletest.Alone())
}

func TestImport_WritesWhatChangedAndDeletesWhatIsGone(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		text := census(1500)
		require.Contains(t, imported(t, a, "census", text), "1500 written, 0 deleted")
		require.Contains(t, imported(t, a, "census", text), " 0 written, 0 deleted")
		for i := range 10 {
			text = strings.Replace(text, fmt.Sprintf(",Big Haul %d LLC", i), fmt.Sprintf(",Small Haul %d LLC", i), 1)
		}
		text = text[:strings.LastIndex(strings.TrimSpace(text), "\n")+1]
		require.Contains(t, imported(t, a, "census", text), " 10 written, 1 deleted")
		require.Len(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=small", nil).OK(t).Get("data").Array(), 10)
		require.Empty(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=big%20haul%200", nil).OK(t).Get("data").Array())
		require.Empty(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/lookup?q=big%20haul%201499", nil).OK(t).Get("data").Array())

		file := filepath.Join(t.TempDir(), "cut.csv")
		require.NoError(t, os.WriteFile(file, []byte(census(100)), 0o600))
		_, err := command(t, a, "--set=census", "import", file)
		require.ErrorContains(t, err, "is it cut off? Nothing was deleted")
		_, err = command(t, a, "--set=insur", "import", file)
		require.ErrorContains(t, err, "is it another set?")
		_, err = command(t, a, "--set=nonsense", "import", file)
		require.ErrorContains(t, err, "want one of authhist")
	}, moduletest.Alone())
}

const (
	authorityHead = "DOCKET_NUMBER,USDOT_NUMBER,OP_AUTH_TYPE,OP_AUTH_STATUS,MIN_COV_AMOUNT\n"
	property      = "Motor Carrier of Property (Except Household Goods)"
)

func TestAuthority_KnowsTwoDocketsAndTheFirstGrant(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		imported(t, a, "census", census(3))
		imported(t, a, "authority", authorityHead+"MC0000000500,1001,"+property+",Active,00750\nMC139446,1001,"+property+",Inactive,\nMC502,1003,Broker of Property,Active,\n")
		imported(t, a, "authhist", "DOCKET_NUMBER,USDOT_NUMBER,OP_AUTH_TYPE,OP_AUTH_STATUS,REASON,STATUS_CHANGE_DATE\n"+
			"MC500,1001,"+property+",Active,Administrative Correction,20260814\n")
		imported(t, a, "legacy.authhist", "DOCKET_NUMBER,DOT_NUMBER,SUB_NUMBER,MOD_COL_1,ORIGINAL_ACTION_DESC,ORIG_SERVED_DATE,DISP_ACTION_DESC,DISP_DECIDED_DATE,DISP_SERVED_DATE\n"+
			"MC000500,00001001,,MOTOR PROPERTY COMMON CARRIER,GRANTED,03/14/1978,,,\nMC139446,00001001,,MOTOR PROPERTY CONTRACT CARRIER,GRANTED,01/05/1990,REVOKED,02/01/2020,\n")

		got := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1001", nil).OK(t)
		require.True(t, got.Get("authority.property_active").Bool())
		require.JSONEq(t, `[{"number": "MC-500", "status": "active"}, {"number": "MC-139446", "status": "inactive"}]`, got.Get("authority.dockets").Raw)
		require.Equal(t, "1978-03-14", got.Get("authority.earliest_grant").String(), "a correction is no grant")
		require.Equal(t, "legacy.authhist", got.Get("authority.earliest_grant_source").String())
		require.Equal(t, "750000.00", got.Get("insurance.liability.required").String())
		require.Equal(t, "1001", a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/mc139446", nil).OK(t).Get("usdot").String())

		broker := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1003", nil).OK(t)
		require.True(t, broker.Get("authority.broker_active").Bool())
		require.False(t, broker.Get("authority.property_active").Bool())
		unknown := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1002", nil).OK(t)
		require.Equal(t, "null", unknown.Get("authority.property_active").Raw, "no row is not no authority")
		require.Equal(t, "none", unknown.Get("authority.source.outcome").String())
		require.Equal(t, "2026-11-20T00:00:00Z", unknown.Get("authority.source.as_of").String())

		imported(t, a, "authority.diff", authorityHead+"MC500,,,,\nMC502,1003,Broker of Property,Inactive,\n")
		gone := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1001", nil).OK(t)
		require.Len(t, gone.Get("authority.grants").Array(), 1, "a row with its docket alone takes the docket away")
		require.False(t, a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1003", nil).OK(t).Get("authority.broker_active").Bool())
	}, moduletest.Alone())
}

func TestInsurance_OfTheOldSetStandsOnlyIfItIsConfirmed(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		imported(t, a, "census", census(2))
		imported(t, a, "insur", "DOCKET_NUMBER,USDOT_NUMBER,INS_FORM_CODE,INS_TYPE_CODE,INS_CLASS_CODE,MAX_COV_AMOUNT,UNDERL_LIM_AMOUNT,POLICY_NO,EFFECTIVE_DATE,INSURANCE_COMPANY_NAME,TRANS_DATE\n"+
			"MC501,1002,BMC-91X,1,P,1000000,,POL 1,20260601,Example Mutual,20260520\nMC501,1002,BMC-91X,1,P,1000000,,POL-1,20260601,EXAMPLE MUTUAL,20260521\n")
		imported(t, a, "inshist", "DOCKET_NUMBER,USDOT_NUMBER,INS_FORM_CODE,INS_TYPE_CODE,INS_CLASS_CODE,POLICY_NO,EFFECTIVE_DATE,FILING_STATUS_REASON,CANCL_EFFECTIVE_DATE\n"+
			"MC9,999,BMC-91X,1,P,OTHER,20260601,CANCEL,20260701\n")
		imported(t, a, "legacy.actpendinsur", "DOCKET_NUMBER,DOT_NUMBER,INS_FORM_CODE,MOD_COL_1,NAME_COMPANY,POLICY_NO,TRANS_DATE,UNDERL_LIM_AMOUNT,MAX_COV_AMOUNT,EFFECTIVE_DATE,CANCL_EFFECTIVE_DATE\n"+
			"MC000500,00001001,91X,BIPD/Primary,EXAMPLE CASUALTY,P77,01/02/2025,0,750,01/15/2025,\n")

		old := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1001", nil).OK(t)
		require.Equal(t, "unavailable", old.Get("insurance.liability.outcome").String())
		require.Contains(t, old.Get("insurance.liability.why").String(), "no live source has confirmed it")
		require.Equal(t, "750000.00", old.Get("insurance.liability.amount").String())
		require.Equal(t, "legacy.actpendinsur", old.Get("insurance.liability.source").String())
		current := a.Call(t, a.Owner.Token, http.MethodGet, area+"/regulator/1002", nil).OK(t)
		require.Equal(t, "rows", current.Get("insurance.liability.outcome").String())
		require.Equal(t, "1000000.00", current.Get("insurance.liability.amount").String(), "a filing that was sent twice is one")
		require.Equal(t, "none", current.Get("insurance.surety.outcome").String())
	}, moduletest.Alone())
}
