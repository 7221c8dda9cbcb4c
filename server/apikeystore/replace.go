package apikeystore

import "github.com/tuttinode/tutti/core/fault"

// Replace reads another key file, or the same one again, and prepares its keys. The keys take
// effect when apply is called.
func (k *Authorizer) Replace(path string) (func(), error) {
	if (path == "") != (k.opt.File == "") {
		return nil, fault.New(fault.KeyFileInvalid, "reload keys",
			"-apiKeys cannot be added or taken away while the node runs")
	}
	if path == "" {
		return func() {}, nil
	}
	list, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return func() { k.SetStatic(list) }, nil
}
