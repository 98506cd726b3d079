package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"time"
)

// filesSection is files sent and read, as --only names it.
const filesSection = "files"

// filed is how fast files of one size were sent and read, in bytes a second, one by one.
type filed struct {
	size                    int64
	up, down, upBare, dBare []float64 // a value for each round
	// idle and highest are resident memory of a process that did nothing else, in bytes.
	idle, highest int64
}

// files measures, beside a bare handler that copies the same bytes to the same disk, what it takes to keep files
// and to give them out.
func (t *trial) files(ctx context.Context) ([]filed, error) {
	if !t.options.asks(filesSection) {
		return nil, nil
	}
	url, err := t.db.fresh(ctx)
	if err != nil {
		return nil, err
	}
	company, err := t.product.company(ctx, url, "Files")
	if err != nil {
		return nil, err
	}
	calls := api{base: "http://" + t.product.address, token: company.Token}
	var all []filed
	for _, size := range t.options.fileSizes() {
		found := filed{size: size}
		err := t.product.serving(ctx, url, func(run *process) error {
			found.idle, _ = memory(run.cmd.Process.Pid)
			err := t.filesOf(ctx, calls, &found)
			_, found.highest = memory(run.cmd.Process.Pid)

			return err
		})
		if err != nil {
			return nil, fmt.Errorf("files of %d bytes: %w", size, err)
		}
		all = append(all, found)
	}

	return all, nil
}

// fileSizes are how large the files are.
func (o *options) fileSizes() []int64 {
	if o.quick {
		return []int64{1 << 20}
	}

	return []int64{1 << 20, 1 << 30}
}

// filesOf has the product and the bare handler take and give a file in turns.
func (t *trial) filesOf(ctx context.Context, calls api, found *filed) (err error) {
	bare, err := newBareFiles(ctx, filepath.Join(t.product.dir, "bare_files"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.close()) }()
	for range t.options.rounds {
		up, id, err := calls.sendFile(ctx, found.size)
		if err != nil {
			return err
		}
		down, err := calls.readFile(ctx, "/attachments/api/v1/attachments/"+id+"/content", found.size)
		if err != nil {
			return err
		}
		upBare, _, err := bare.calls.sendFile(ctx, found.size)
		if err != nil {
			return err
		}
		dBare, err := bare.calls.readFile(ctx, "/attachments/api/v1/attachments", found.size)
		if err != nil {
			return err
		}
		found.up, found.down = append(found.up, up), append(found.down, down)
		found.upBare, found.dBare = append(found.upBare, upBare), append(found.dBare, dBare)
	}

	return nil
}

// perSecond is the rate of bytes since a time.
func perSecond(size int64, since time.Time) float64 {
	return float64(size) / time.Since(since).Seconds()
}

// sendFile sends a form with a file, and returns how fast, and the id of what was made of it.
func (a api) sendFile(ctx context.Context, size int64) (rate float64, id string, err error) {
	from, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() {
		part, err := form.CreateFormFile("file", "bytes.bin")
		if err == nil {
			_, err = io.Copy(part, io.LimitReader(newManyBytes(), size))
		}
		_ = to.CloseWithError(errors.Join(err, form.Close()))
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/attachments/api/v1/attachments", from)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Authorization", "Bearer "+a.token)
	request.Header.Set("Content-Type", form.FormDataContentType())
	begin := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	rate = perSecond(size, begin)
	var made struct {
		UUID string `json:"uuid"`
		Size int64  `json:"size"`
	}
	if err := errors.Join(err, json.Unmarshal(text, &made)); err != nil {
		return 0, "", err
	}
	if made.Size != size {
		return 0, "", fmt.Errorf("sending a file: %s %s", response.Status, text)
	}

	return rate, made.UUID, nil
}

// readFile reads a file, and returns how fast.
func (a api) readFile(ctx context.Context, path string, size int64) (rate float64, err error) {
	begin, read := time.Now(), int64(0)
	err = a.stream(ctx, http.MethodGet, path, nil, func(body io.Reader) (err error) {
		read, err = io.Copy(io.Discard, body)

		return err
	})
	if err == nil && read != size {
		err = fmt.Errorf("the file has %d bytes of %d", read, size)
	}

	return perSecond(size, begin), err
}

// manyBytes is a file without end, none of an image or text.
type manyBytes struct{ block []byte }

func newManyBytes() manyBytes {
	block := make([]byte, 64<<10)
	for i := range block {
		block[i] = byte(i * 7)
	}

	return manyBytes{block}
}

// Read implements io.Reader.
func (m manyBytes) Read(p []byte) (int, error) { return copy(p, m.block), nil }
