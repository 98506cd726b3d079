package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// options are what the command line asks for.
type options struct {
	quick     bool
	write     bool
	rounds    int
	seconds   float64
	records   int
	million   int
	exchange  int
	renewals  int
	databases []string
	dir       string
	binary    string
	only      string

	peer       bool
	peerBinary string
}

const (
	sqliteName   = "sqlite"
	postgresName = "postgres"
)

// parseOptions reads the flags; with --quick the defaults are small.
func parseOptions(args []string, out io.Writer) (options, error) {
	var o options
	var databases string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.BoolVar(&o.quick, "quick", false, "short rounds on few records: whether all of it works, not how fast")
	flags.BoolVar(&o.write, "write", false, "write bench/results.md")
	flags.IntVar(&o.rounds, "rounds", 0, "how often everything is measured (3, quick 1)")
	flags.Float64Var(&o.seconds, "seconds", 0, "length of one measurement (5, quick 0.5)")
	flags.IntVar(&o.records, "records", 0, "records that are there before (100000, of the section million 1000000; quick 5000 and 20000)")
	flags.StringVar(&databases, "databases", sqliteName+","+postgresName, "which databases to run on")
	flags.StringVar(&o.dir, "dir", "", "folder for the databases, on the disk to be measured (a temporary one)")
	flags.StringVar(&o.binary, "binary", "", "measure this dispatchd, such as one of another commit, instead of building one")
	flags.IntVar(&o.exchange, "exchange", 100_000, "records of the larger import and export")
	flags.IntVar(&o.renewals, "renewals", 0, "subscriptions that are renewed (100000; quick 1000)")
	flags.StringVar(&o.only, "only", "", "only the operations, or the sections pieces, events, million, exchange, listen, files, inbound, sms, resource, regulator, offline, billing, loads, papers and peer, whose names have this in them, such as create")
	flags.BoolVar(&o.peer, "peer", false, "measure "+peerName+" too, built from the Go module proxy")
	flags.StringVar(&o.peerBinary, "peer-binary", "", "measure this build of the peer instead of building it; goes with --peer")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	o.databases = strings.Split(databases, ",")
	o.fill()

	return o, o.check()
}

// fill sets what was not given.
func (o *options) fill() {
	rounds, seconds, records, million := 3, 5.0, 100_000, 1_000_000
	if o.quick {
		rounds, seconds, records, million = 1, 0.5, 5_000, 20_000
	}
	if o.rounds == 0 {
		o.rounds = rounds
	}
	if o.seconds == 0 {
		o.seconds = seconds
	}
	if o.renewals == 0 {
		o.renewals = 100_000
		if o.quick {
			o.renewals = 1_000
		}
	}
	if o.million = o.records; o.million == 0 {
		o.million = million
	}
	if o.records == 0 {
		o.records = records
	}
}

func (o *options) check() error {
	var problems []error
	if o.rounds < 1 || o.seconds <= 0 {
		problems = append(problems, errors.New("--rounds and --seconds must be positive"))
	}
	if o.records < 1_000 || o.records > 9_000_000 {
		problems = append(problems, errors.New("--records must be between 1000 and 9000000"))
	}
	if len(o.questions()) == 0 && !o.named() {
		problems = append(problems, fmt.Errorf("--only: no operation has %q in its name", o.only))
	}
	for _, name := range o.databases {
		if !slices.Contains([]string{sqliteName, postgresName}, name) {
			problems = append(problems, fmt.Errorf("--databases: %q is neither %s nor %s", name, sqliteName, postgresName))
		}
	}

	return errors.Join(problems...)
}

func (o *options) duration() time.Duration { return time.Duration(o.seconds * float64(time.Second)) }

// questions are what is asked, with --only some of it.
func (o *options) questions() []question {
	return slices.DeleteFunc(questions(), func(q question) bool { return !strings.Contains(string(q.operation), o.only) })
}

// The parts of a run beside the questions, as --only names them.
const (
	pieceSection   = "pieces"
	eventSection   = "events"
	millionSection = "million"
)

// asks reports whether a section is to be measured.
func (o *options) asks(section string) bool { return strings.Contains(section, o.only) }

// depth is how many records are before the deep page.
func (o *options) depth() int { return min(50_000, o.records/2) }

// boots is how often the service is started to time it.
func (o *options) boots() int {
	if o.quick {
		return 3
	}

	return 11
}
