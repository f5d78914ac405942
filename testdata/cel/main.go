// Command harness evaluates what `cnsched export vap` writes with the code of the API server: it validates policies as
// the server does when they are created, and applies them to requests as admission does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/klog/v2"
)

const usage = `usage:
  harness check [--crds DIR] [--openapi DIR] [--variables] POLICIES.yaml
      Validates the policies, bindings and ConfigMaps of a YAML stream as the API server does when they are created,
      with the CEL of Kubernetes 1.30 and of the newest release.
      --openapi also checks types of another release: api/v1.json, apis/apps/v1.json, as its API server publishes them
      --variables also checks the types of variables, which the API server does not do
  harness run [--kubernetes 1.30|newest] [--crds DIR] POLICIES.yaml < REQUESTS.ndjson > VERDICTS.ndjson
      Applies the policies to requests: {"id", "operation", "object", "oldObject", "namespace": {"name", "labels"},
      "params": [ConfigMap, ...]}.
      A verdict for each policy: {"id", "policy", "decision", "messages", "actions", "cost"}.
With --crds, objects of the kinds that these CustomResourceDefinitions declare are pruned and defaulted by their
schemas, and policies are checked against these types too.
`

// errProblems means that the problems are printed already.
var errProblems = errors.New("")

func main() {
	err := command(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil:
	case errors.Is(err, errProblems):
		os.Exit(1)
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(2)
	}
}

func command(arguments []string, in io.Reader, out, diagnostics io.Writer) error {
	klog.LogToStderr(false) // what the API server logs is part of verdicts and problems
	klog.SetOutput(io.Discard)
	if len(arguments) == 0 {
		fmt.Fprint(diagnostics, usage)
		return flag.ErrHelp
	}
	name := arguments[0]
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	flags.Usage = func() { fmt.Fprint(diagnostics, usage) }
	crds := flags.String("crds", "", "directory of CustomResourceDefinitions")
	var types typeOptions
	flags.BoolVar(&types.variables, "variables", false, "check the types of variables")
	flags.StringVar(&types.openapi, "openapi", "", "directory of OpenAPI documents of another release")
	version := flags.String("kubernetes", newest.name, "release whose CEL is used")
	if err := flags.Parse(arguments[1:]); err != nil {
		return flag.ErrHelp
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return flag.ErrHelp
	}
	kinds, err := newKinds(*crds)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(flags.Arg(0))
	if err != nil {
		return err
	}
	switch name {
	case "check":
		return check(data, kinds, types, out)
	case "run":
		release, err := releaseNamed(*version)
		if err != nil {
			return err
		}
		return run(data, release, kinds, in, out)
	}
	flags.Usage()
	return flag.ErrHelp
}
