package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The peer that the targets name, and the program that it is built from.
const (
	peerName    = "PocketBase 0.39.0"
	peerPackage = "github.com/pocketbase/pocketbase/examples/base@v0.39.0"
	peerMail    = "owner@bench.example"
	peerSecret  = "bench-bench-bench" //nolint:gosec // of a database that is thrown away
)

// peer is PocketBase with a folder for each state of its database.
type peer struct {
	binary, dir, address string
	asker                *peerAsker
}

// The states of the peer's database: a folder in which it never ran, one record, and all.
const (
	peerFresh = "fresh"
	peerEmpty = "empty"
	peerFull  = "full"
)

// newPeer builds the peer, unless it is given, and fills it as the product is filled.
func newPeer(ctx context.Context, o options, dir string) (*peer, error) {
	dir = filepath.Join(dir, "peer")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	p := &peer{dir: dir, address: fmt.Sprintf("127.0.0.1:%d", port)}
	if o.peerBinary == "" {
		p.binary, err = buildPeer(ctx, dir)
	} else {
		p.binary, err = filepath.Abs(o.peerBinary)
	}
	if err != nil {
		return nil, err
	}

	return p, p.prepare(ctx, o.records)
}

// buildPeer compiles it in a folder of its own: this module does not depend on it.
func buildPeer(ctx context.Context, dir string) (string, error) {
	cmd := command(ctx, "go", "install", peerPackage)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod", "GOWORK=off")
	_, err := output(cmd)

	return filepath.Join(dir, "base"), err
}

// command runs the peer on a state of its database. Without --dev=false it believes, in a temporary
// folder, that it is under `go run`, and prints every statement.
func (p *peer) command(ctx context.Context, state string, args ...string) *exec.Cmd {
	folder := filepath.Join(p.dir, state)
	cmd := command(ctx, p.binary, append([]string{
		"--dev=false", "--dir=" + filepath.Join(folder, "pb_data"), "--migrationsDir=" + filepath.Join(folder, "pb_migrations"),
		"--hooksDir=" + filepath.Join(folder, "pb_hooks"), "--publicDir=" + filepath.Join(folder, "pb_public"),
	}, args...)...)
	cmd.Dir = p.dir

	return cmd
}

// start starts the peer and waits until it is ready.
func (p *peer) start(ctx context.Context, state string) (*process, error) {
	if state == peerFresh {
		if err := os.RemoveAll(filepath.Join(p.dir, state)); err != nil {
			return nil, err
		}
	}
	run := &process{
		cmd: p.command(ctx, state, "serve", "--http="+p.address), log: filepath.Join(p.dir, "serve.log"), done: make(chan error, 1),
		early: true,
	}
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
	if err := run.ready(ctx, "http://"+p.address+"/api/health"); err != nil {
		return nil, fmt.Errorf("the peer: %w\n%s", err, tail(run.log))
	}
	run.boot = time.Since(begin)

	return run, nil
}

// serving runs the peer on a state of its database during work.
func (p *peer) serving(ctx context.Context, state string, work func(*process) error) error {
	run, err := p.start(ctx, state)
	if err != nil {
		return err
	}
	if err := work(run); err != nil {
		return errors.Join(err, run.stop(), errors.New("end of the peer's log:\n"+tail(run.log)))
	}

	return run.stop()
}

// prepare makes the owner, the collections and one record, keeps a copy, and adds the records.
func (p *peer) prepare(ctx context.Context, records int) error {
	if _, err := output(p.command(ctx, peerFull, "superuser", "upsert", peerMail, peerSecret)); err != nil {
		return err
	}
	if err := p.serving(ctx, peerFull, func(*process) error { return p.define(ctx, records) }); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(p.dir, peerEmpty), os.DirFS(filepath.Join(p.dir, peerFull))); err != nil {
		return err
	}

	return fillPeer(ctx, filepath.Join(p.dir, peerFull, "pb_data", "data.db"), records)
}

// define makes what the asker needs, and the record that is copied.
func (p *peer) define(ctx context.Context, records int) error {
	calls := api{base: "http://" + p.address}
	var login struct {
		Token string `json:"token"`
	}
	err := calls.post(ctx, "/api/collections/_superusers/auth-with-password",
		map[string]any{"identity": peerMail, "password": peerSecret}, &login)
	if err != nil {
		return err
	}
	calls.token = login.Token
	var customers, customer struct {
		ID string `json:"id"`
	}
	if err := calls.post(ctx, "/api/collections", peerCollection("customers", peerField("name", "text")), &customers); err != nil {
		return err
	}
	if err := calls.post(ctx, "/api/collections/customers/records", map[string]any{"name": "Bench"}, &customer); err != nil {
		return err
	}
	vehicles := peerCollection("vehicles", peerVehicleFields(customers.ID)...)
	vehicles["indexes"] = []string{"CREATE INDEX idx_vehicles_vin ON vehicles (vin)"}
	var ignored struct{}
	if err := calls.post(ctx, "/api/collections", vehicles, &ignored); err != nil {
		return err
	}
	p.asker = &peerAsker{base: calls.base, token: calls.token, customer: customer.ID, records: records}
	body := newPeerBody(customer.ID)
	body.put(p.asker.created.Add(1))

	return calls.call(ctx, http.MethodPost, peerRecords, body.bytes, &ignored)
}

// asksPeer reports whether the peer is to be run. It is built from the network, so not unless it is
// asked for by name.
func (o *options) asksPeer() bool { return o.peer || o.only != "" && o.asks(peerSection) }

const peerSection = "peer"

// peerQuestions are what the targets compare with the peer, reads first.
func peerQuestions() []question {
	var all []question
	for _, what := range []operation{opGet, opFilter, opPage, opPatch, opCreate} {
		all = append(all, question{what, 8}, question{what, 32})
	}

	return all
}

// named reports whether some sections of a run have a name that was asked for.
func (o *options) named() bool {
	return slices.ContainsFunc([]string{pieceSection, eventSection, millionSection, exchangeSection, listenSection, filesSection, inboundSection, smsSection, peerSection, resourceSection, regulatorSection, offlineSection, billingSection, loadsSection, dispatchesSection, papersSection}, func(s string) bool { return strings.Contains(s, o.only) })
}
