// Package configcmd is `tutti config check`: it says whether a node with this configuration
// would start, without starting anything. Only cmd/tutti calls it.
package configcmd
