package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// fact is a circumstance under which the numbers were taken.
type fact struct{ name, value string }

// machineFacts describe the machine, the source, and how long the disk takes to keep a write.
func machineFacts(ctx context.Context, dir string) ([]fact, error) {
	flush, err := flushTime(dir)
	if err != nil {
		return nil, err
	}
	load, busy := loadAverage()
	facts := []fact{
		{"cores", strconv.Itoa(runtime.NumCPU()) + ", the load included"},
		{"processor", procValue("/proc/cpuinfo", "model name")},
		{"memory", procValue("/proc/meminfo", "MemTotal")},
		{"system", runtime.GOOS + "/" + runtime.GOARCH},
		{"Go", runtime.Version()},
		{"source", source(ctx)},
		{"write and fsync of 4 KiB", flush.Round(time.Microsecond).String()},
		{"load average before", load},
	}
	if busy {
		facts = append(facts, fact{"warning", "the machine was busy with something else: do not trust the rates"})
	}
	if flush < 20*time.Microsecond {
		facts = append(facts, fact{"warning", "no disk is that fast: use --dir with a folder on a real one"})
	}

	return facts, nil
}

// loadAverage returns how many processes wanted to run in the last minute, and whether they took more
// than a quarter of the cores.
func loadAverage() (text string, busy bool) {
	all, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown", false
	}
	text, _, _ = strings.Cut(string(all), " ")
	load, err := strconv.ParseFloat(text, 64)

	return text, err == nil && load > float64(runtime.NumCPU())/4
}

// source names the commit that was measured.
func source(ctx context.Context) string {
	commit, err := output(command(ctx, "git", "describe", "--always", "--dirty"))
	if err != nil {
		return "unknown"
	}

	return commit
}

// flushTime is the median time of writing 4 KiB to the disk of a folder, for good.
func flushTime(dir string) (median time.Duration, err error) {
	file, err := os.CreateTemp(dir, "flush-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	var times []time.Duration
	for range 200 {
		begin := time.Now()
		if _, err := file.WriteAt(make([]byte, 4096), 0); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(begin))
	}

	return medianDuration(times), nil
}

// procValue returns the value of a line "key : value" of a file, "unknown" if there is none.
func procValue(file, key string) string {
	text, err := os.Open(filepath.Clean(file))
	if err != nil {
		return "unknown"
	}
	value := "unknown"
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		name, rest, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(name) == key {
			value = strings.TrimSpace(rest)

			break
		}
	}
	if errors.Join(lines.Err(), text.Close()) != nil {
		return "unknown"
	}

	return value
}

// memory returns the resident memory of a process in bytes, now and at its highest; 0 where the
// system has no /proc.
func memory(pid int) (now, highest int64) {
	status := fmt.Sprintf("/proc/%d/status", pid)

	return kibibytes(procValue(status, "VmRSS")), kibibytes(procValue(status, "VmHWM"))
}

// kibibytes reads "12345 kB" as bytes, 0 if it is something else.
func kibibytes(text string) int64 {
	count, err := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}

	return count << 10
}

// ticksPerSecond is USER_HZ, in which /proc counts: 100 on every Linux.
const ticksPerSecond = 100

// cpuTime returns what a process has used of the processors; 0 where the system has no /proc. The
// threads know it to the nanosecond, the process to the tick.
func cpuTime(pid int) time.Duration {
	if used := threadTime(pid); used > 0 {
		return used
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}

	return parseCPUTime(string(text))
}

// threadTime adds what the threads of a process have used, 0 if the system does not tell. Go keeps
// its threads.
func threadTime(pid int) time.Duration {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0
	}
	var all int64
	for _, file := range files {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			continue // a thread that has just ended
		}
		used, _, _ := strings.Cut(string(text), " ")
		count, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return 0
		}
		all += count
	}

	return time.Duration(all)
}

// parseCPUTime adds user and system time in a line of /proc/…/stat. The name of the program, in
// parentheses, may have blanks.
func parseCPUTime(stat string) time.Duration {
	const user, system = 11, 12 // counted from behind the name
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) <= system {
		return 0
	}
	var ticks int64
	for _, field := range []string{fields[user], fields[system]} {
		count, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += count
	}

	return time.Duration(ticks) * time.Second / ticksPerSecond
}
