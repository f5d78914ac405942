package main

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// customKinds are the kinds of custom resources, by group: versions, kind, plural, and "cluster" if not namespaced.
// Kinds of the files of --crds are added to them.
var customKinds = map[string]string{
	"serving.kserve.io": `
		v1beta1 InferenceService inferenceservices
		v1alpha1,v1alpha2 LLMInferenceService llminferenceservices
		v1alpha1,v1alpha2 LLMInferenceServiceConfig llminferenceserviceconfigs
		v1alpha1 ServingRuntime servingruntimes
		v1alpha1 ClusterServingRuntime clusterservingruntimes cluster
		v1alpha1 ClusterStorageContainer clusterstoragecontainers cluster
		v1alpha1 InferenceGraph inferencegraphs
		v1alpha1 TrainedModel trainedmodels`,
	"machinelearning.seldon.io": `
		v1alpha2,v1alpha3,v1 SeldonDeployment seldondeployments`,
	"mlops.seldon.io": `
		v1alpha1 Experiment experiments
		v1alpha1 Model models
		v1alpha1 Pipeline pipelines
		v1alpha1 SeldonConfig seldonconfigs
		v1alpha1 SeldonRuntime seldonruntimes
		v1alpha1 Server servers
		v1alpha1 ServerConfig serverconfigs`,
	"serving.knative.dev": `
		v1 Service services
		v1 Configuration configurations
		v1 Revision revisions`,
	"leaderworkerset.x-k8s.io": `
		v1 LeaderWorkerSet leaderworkersets`,
}

// clusterScoped are the built-in kinds without a namespace that occur in manifests of model servers.
var clusterScoped = []string{"Namespace", "Node", "PersistentVolume"}

// kinds maps kinds to resources, as discovery of the API server does, and has the types of built-in and custom kinds.
type kinds struct {
	mapper      *meta.DefaultRESTMapper
	custom      map[schema.GroupVersionKind]*customType // nil without a CustomResourceDefinition
	equivalents runtime.EquivalentResourceRegistry
	// typeChecker finds what the API server writes into the status of a policy as warnings.
	typeChecker *validating.TypeChecker
}

func newKinds(directory string) (*kinds, error) {
	k := &kinds{
		mapper:      meta.NewDefaultRESTMapper(nil),
		custom:      map[schema.GroupVersionKind]*customType{},
		equivalents: runtime.NewEquivalentResourceRegistry(),
	}
	builtIn := resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, legacyscheme.Scheme)
	k.typeChecker = &validating.TypeChecker{SchemaResolver: builtIn.Combine(customSchemas{k}), RestMapper: k.mapper}
	for gvk := range legacyscheme.Scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		scope := meta.RESTScope(meta.RESTScopeNamespace)
		if slices.Contains(clusterScoped, gvk.Kind) {
			scope = meta.RESTScopeRoot
		}
		k.mapper.Add(gvk, scope)
	}
	for group, lines := range customKinds {
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			columns := strings.Fields(line)
			for version := range strings.SplitSeq(columns[0], ",") {
				gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: columns[1]}
				k.add(gvk, columns[2], len(columns) > 3, nil)
			}
		}
	}
	return k, k.load(directory)
}

func (k *kinds) add(gvk schema.GroupVersionKind, plural string, cluster bool, custom *customType) {
	scope := meta.RESTScope(meta.RESTScopeNamespace)
	if cluster {
		scope = meta.RESTScopeRoot
	}
	resource := gvk.GroupVersion().WithResource(plural)
	k.mapper.AddSpecific(gvk, resource, gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind)), scope)
	k.custom[gvk] = custom
	k.equivalents.RegisterKindFor(resource, "", gvk)
}

// find returns the resource and the scope of a kind.
func (k *kinds) find(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := k.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, fmt.Errorf("the harness does not know the resource of %v", gvk)
	}
	return mapping, nil
}

// Resolve returns the resource of paramKind, for the registry of the API server.
func (k *kinds) Resolve(gvk schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	mapping, err := k.find(gvk)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	return mapping.Resource, nil
}

// isCustom tells whether objects of the kind are CustomResources, which the API server handles without Go types.
func (k *kinds) isCustom(gvk schema.GroupVersionKind) bool {
	_, custom := k.custom[gvk]
	return custom
}

// objectInterfaces convert as the API server does. The versions of a CustomResource differ only in apiVersion
// (conversion strategy None, which KServe's, Seldon's and Knative's kinds have).
func (k *kinds) objectInterfaces() admission.ObjectInterfaces {
	scheme := legacyscheme.Scheme
	return &admission.RuntimeObjectInterfaces{
		ObjectCreater: customCreater{scheme, k}, ObjectTyper: scheme, ObjectDefaulter: scheme,
		ObjectConvertor: customConvertor{scheme}, EquivalentResourceMapper: k.equivalents,
	}
}

type customCreater struct {
	runtime.ObjectCreater
	kinds *kinds
}

func (c customCreater) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	if c.kinds.isCustom(gvk) {
		return &unstructured.Unstructured{}, nil
	}
	return c.ObjectCreater.New(gvk)
}

type customConvertor struct{ runtime.ObjectConvertor }

// Convert is called for another version of the same kind only; the caller sets apiVersion.
func (c customConvertor) Convert(in, out, context any) error {
	from, fromCustom := in.(*unstructured.Unstructured)
	to, toCustom := out.(*unstructured.Unstructured)
	if fromCustom && toCustom {
		to.Object = from.DeepCopy().Object
		return nil
	}
	return c.ObjectConvertor.Convert(in, out, context)
}
