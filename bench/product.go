package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// masterKey is the one of all services here.
const masterKey = "dsk_vembCsy7YgaK6qiZ1z3JT3WQXQjkVVgPRTT2hnzokJM"

// product is the binary of this repository, with a data folder and an address of its own.
type product struct {
	binary, dir, address string
}

// build compiles the product as a release is compiled.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "dispatchd")
	_, err := output(command(ctx, "go", "build", "-o", binary, "github.com/dispatchd/dispatchd/cmd/dispatchd"))

	return binary, err
}

func newProduct(ctx context.Context, binary, dir string) (product, error) {
	port, err := freePort(ctx)

	return product{binary: binary, dir: dir, address: fmt.Sprintf("127.0.0.1:%d", port)}, err
}

// command runs the product on a database, with its defaults and no configuration file.
func (p product) command(ctx context.Context, database string, args ...string) *exec.Cmd {
	cmd := command(ctx, p.binary, args...)
	cmd.Dir = p.dir
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "DISPATCHD_") {
			cmd.Env = append(cmd.Env, line)
		}
	}
	cmd.Env = append(cmd.Env, "DISPATCHD_SECRET__KEY="+masterKey,
		"DISPATCHD_WEB__RATE_LIMIT__PER_TOKEN=0", // one token asks for everything here
		"DISPATCHD_EVENTS__KEEP=0s",              // the rows that are there before are old by their ids
		"DISPATCHD_DATA_DIR="+filepath.Join(p.dir, "data"),
		"DISPATCHD_WEB__ADDRESS="+p.address, "DISPATCHD_DATABASE__URL="+database)

	return cmd
}

// newCompany is a company that was just made.
type newCompany struct {
	ID    string `json:"company"`
	Token string `json:"token"` // of the owner
}

// company makes a company in the database.
func (p product) company(ctx context.Context, database, name string) (newCompany, error) {
	var made newCompany
	text, err := output(p.command(ctx, database, "company", "create", name,
		"--owner-email", "owner@"+strings.ToLower(strings.ReplaceAll(name, " ", "-"))+".example", "--output", "json"))
	if err != nil {
		return made, err
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Token == "" || made.ID == "" {
		return made, fmt.Errorf("company create printed no id or token: %s", text)
	}

	return made, nil
}

// process is a running product.
type process struct {
	cmd  *exec.Cmd
	log  string
	done chan error // gets how the process ended
	// boot is the time from starting the process to the first 200 of /healthz.
	boot time.Duration
	// early says that it is ready before it listens to signals: one may end it at once.
	early bool
}

// start starts the product, with further settings, and waits until it is ready.
func (p product) start(ctx context.Context, database string, settings ...string) (*process, error) {
	run := &process{cmd: p.command(ctx, database, "serve"), log: filepath.Join(p.dir, "serve.log"), done: make(chan error, 1)}
	run.cmd.Env = append(run.cmd.Env, settings...)
	log, err := os.Create(run.log)
	if err != nil {
		return nil, err
	}
	run.cmd.Stdout, run.cmd.Stderr = log, log
	begin := time.Now()
	if err := run.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() { run.done <- errors.Join(run.cmd.Wait(), log.Close()) }()
	if err := run.ready(ctx, "http://"+p.address+"/healthz"); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, tail(run.log))
	}
	run.boot = time.Since(begin)
	if err := run.greeted(ctx); err != nil {
		return nil, errors.Join(err, run.stop())
	}

	return run, nil
}

// ready asks for the address, twice in a millisecond, until it answers 200.
func (r *process) ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ticker := time.NewTicker(500 * time.Microsecond)
	defer ticker.Stop()
	for {
		if answers(ctx, client, address) {
			return nil
		}
		select {
		case <-ticker.C:
		case err := <-r.done:
			r.done <- err

			return fmt.Errorf("the service ended before it was ready: %w", err)
		case <-ctx.Done():
			return errors.Join(errors.New("the service was not ready in time"), r.cmd.Process.Kill())
		}
	}
}

// greeted waits until the product says that it has started: a start that is interrupted fails.
func (r *process) greeted(ctx context.Context) error {
	for range 5000 {
		text, err := os.ReadFile(r.log)
		if err != nil || bytes.Contains(text, []byte(" is ready.")) {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}

	return errors.New("the service answered, but did not say that it is ready")
}

func answers(ctx context.Context, client *http.Client, address string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}

	return errors.Join(response.Body.Close()) == nil && response.StatusCode == http.StatusOK
}

// stop ends the process in good order; any other exit code than 0 is an error, and a death by the signal unless it is early.
func (r *process) stop() error {
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case err := <-r.done:
		if err != nil && (!r.early || !endedBy(err, syscall.SIGTERM)) {
			return fmt.Errorf("the service: %w\n%s", err, tail(r.log))
		}

		return nil
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("the service did not stop\n%s", tail(r.log)), r.cmd.Process.Kill())
	}
}

// endedBy says whether the signal killed the process that ended with err.
func endedBy(err error, signal syscall.Signal) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)

	return ok && status.Signaled() && status.Signal() == signal
}
