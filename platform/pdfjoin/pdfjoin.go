// Package pdfjoin joins PDF files, those of strangers among them, into one.
//
// The files are read by a library that was written for honest ones: a page tree of 2 kB can make it fill the memory. So they are read in a process of their
// own, which is this program again, and which ends when it takes too much memory or time (ADR 0111). A program that joins files calls ServeChild first in main.
package pdfjoin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// The limits of what is joined.
const (
	// MaxBytes is how large the files may be together, in bytes.
	MaxBytes = 50 << 20
	// MaxPages is how many pages they may have together.
	MaxPages = 200
	// MaxTime is how long one call may take.
	MaxTime = 10 * time.Second
	// maxMemory is how much memory the child may use, in bytes: the files, what is unpacked of them, and what is written.
	maxMemory = 512 << 20
)

// childVariable is the environment variable by which a process knows that it is to join files.
const childVariable = "DISPATCHD_PDFJOIN_CHILD"

// ErrUnreadable is for files that cannot be joined. Its message says why, in words for the person who chose the file.
var ErrUnreadable = errs.New(errs.Invalid, "pdfjoin.unreadable", "The file cannot be read as a PDF.")

// Pages returns how many pages a PDF has, by reading it whole. Errors: ErrUnreadable.
func Pages(ctx context.Context, file []byte) (int, error) {
	pages, _, err := run(ctx, MaxTime, modePages, [][]byte{file})

	return pages, err
}

// Join returns one PDF with the pages of all files in order, and their number. Errors: ErrUnreadable, if any of them cannot be read; call Pages for each
// file to find out which.
func Join(ctx context.Context, files [][]byte) ([]byte, int, error) {
	pages, joined, err := run(ctx, MaxTime, modeJoin, files)

	return joined, pages, err
}

const (
	modePages byte = 'p'
	modeJoin  byte = 'j'
	// modeStamp is for a file after a word.
	modeStamp byte = 's'
)

// run has a child of this process read the files, for as long as the limit at most.
func run(ctx context.Context, limit time.Duration, mode byte, files [][]byte) (int, []byte, error) {
	total := 0
	for _, f := range files {
		total += len(f)
	}
	if total > MaxBytes {
		return 0, nil, ErrUnreadable.WithMessage("The files have more than %d MB together.", MaxBytes>>20)
	}
	program, err := os.Executable()
	if err != nil {
		return 0, nil, fmt.Errorf("join PDF files: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	child := exec.CommandContext(limited, program) //nolint:gosec // this program itself
	child.Env = []string{childVariable + "=1", "GOMAXPROCS=1"}
	child.Stdin = request(mode, files)
	var out bytes.Buffer
	child.Stdout = &out
	err = child.Run()
	switch {
	case ctx.Err() != nil:
		return 0, nil, ctx.Err()
	case limited.Err() != nil:
		return 0, nil, ErrUnreadable.WithMessage("Reading the file takes too long.")
	case err != nil:
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			return 0, nil, fmt.Errorf("join PDF files: %w", err)
		}

		return 0, nil, ErrUnreadable.WithMessage("Reading the file takes too much memory, or fails.")
	}

	return parseAnswer(out.Bytes())
}

// request is what a child reads: the mode, and each file after its length.
func request(mode byte, files [][]byte) io.Reader {
	parts := []io.Reader{bytes.NewReader([]byte{mode})}
	for _, f := range files {
		parts = append(parts, bytes.NewReader(binary.BigEndian.AppendUint32(nil, uint32(len(f)))), bytes.NewReader(f)) //nolint:gosec // at most MaxBytes
	}

	return io.MultiReader(parts...)
}

// parseAnswer reads what a child wrote: the number of pages and the joined file, or why there is none.
func parseAnswer(answer []byte) (int, []byte, error) {
	head, rest, found := bytes.Cut(answer, []byte("\n"))
	if !found {
		return 0, nil, errors.New("join PDF files: the child wrote nothing")
	}
	if why, refused := strings.CutPrefix(string(head), "refused "); refused {
		return 0, nil, ErrUnreadable.WithMessage("%s", why)
	}
	var pages int
	if _, err := fmt.Sscanf(string(head), "pages %d", &pages); err != nil {
		return 0, nil, fmt.Errorf("join PDF files: answer of the child: %w", err)
	}

	return pages, rest, nil
}
