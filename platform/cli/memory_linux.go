package cli

import (
	"bytes"
	"os"
	"syscall"

	"github.com/prometheus/procfs"
)

// forgetProgram unmaps the pages of the program file, most of which only the start needed. They stay in
// the system's cache of files until it wants the room, and what runs again is mapped again from there.
// Pages that a debugger may have changed stay, and all do where /proc does not tell.
func forgetProgram() {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || !bytes.Contains(status, []byte("\nTracerPid:\t0\n")) {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	self, err := procfs.Self()
	if err != nil {
		return
	}
	parts, err := self.ProcMaps()
	if err != nil {
		return
	}
	for _, part := range parts {
		if part.Pathname != program || part.Perms.Write {
			continue
		}
		_, _, refused := syscall.Syscall(syscall.SYS_MADVISE, part.StartAddr, part.EndAddr-part.StartAddr, syscall.MADV_DONTNEED)
		if refused != 0 {
			return
		}
	}
}
