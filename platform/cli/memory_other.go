//go:build !linux

package cli

// forgetProgram does nothing: only Linux counts the pages of the program file as the process's.
func forgetProgram() {}
