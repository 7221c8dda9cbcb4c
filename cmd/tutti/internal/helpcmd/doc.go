// Package helpcmd is the commands help, completion and version.
package helpcmd
