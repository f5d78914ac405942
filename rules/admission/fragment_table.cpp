#include "rules/admission/fragment_table.h"

#include <array>

namespace cnsched::rules {

namespace {

constexpr auto kFragments = std::to_array<Fragment>({
    // Values of optional fields. The API server removes nulls, but not where a
    // CustomResourceDefinition has no schema: for lists and maps a null is a missing field.
    {"list", "optional.ofNonZeroValue($1.orValue([])).orValue([])"},
    {"map_of", "optional.ofNonZeroValue($1.orValue({})).orValue({})"},
    {"text", "string($1.orValue(''))"},
    // The same for a value that may be null or of another type.
    {"any_text", "[dyn($1.orValue(''))].map(v, v == null ? '' : string(v))[0]"},
    {"is_scalar", "(type($1) == string || type($1) == int || type($1) == double)"},
    {"is_set", "optional.ofNonZeroValue($1.orValue('')).hasValue()"},

    // Text. core/k8s/label.h.
    {"is_placeholder", R"($1.matches('^[$]|[$][{(]|[{][{]|[.]{3}|(?s:[{].*[}]|<.*>)'))"},
    {"name_problem",
     R"([$1.find('[^-A-Za-z0-9_.]')].map(c,
  $1.size() > 63 ? 'has ' + string($1.size()) + ' characters, and 63 are the limit' :
  c == ' ' ? 'contains a space' :
  c != '' && !c.matches('^[[:ascii:]]') ? 'contains a non-ASCII character' :
  c != '' ? "contains '" + c + "'" :
  $1.matches('^[-_.]') ? "begins with '" + $1.substring(0, 1) + "', not with a letter or digit" :
  $1.matches('[-_.]$') ? "ends with '" + $1.substring($1.size() - 1) + "', not with a letter or digit" :
  '')[0])"},
    {"is_label_key",
     "$1.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*/)?"
     "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')"},
    {"is_label_value", "$1.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')"},
    {"label_value_problem", "($1 == '' ? '' : name_problem($1))"},
    {"label_key_problem",
     R"([$1.split('/')].map(parts, $1 == '' ? 'is empty' : parts.size() > 2 ? "contains more than one '/'" : (
  parts.filter(p, parts.size() == 2).map(p, p == parts[1] ? (p == '' ? "has no name after the '/'" : '') : p == '' ? "begins with '/'" :
    p.size() > 253 ? 'has a prefix of more than 253 characters' :
    p.split('.').exists(s, s == '') ? "has an empty part in its prefix '" + p + "'" :
    p.split('.').exists(s, !s.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')) ?
      "has a prefix '" + p + "' that is not a lowercase RFC 1123 subdomain" : '').filter(m, m != '') +
  [parts[parts.size() - 1]].filter(w, w != '').map(w, name_problem(w)))[0])[0])"},

    // The messages about keys and about values of labels.
    {"label_key_problems",
     R"($1.map(k, string(k)).filter(k, !is_placeholder(k)).map(k, [k, label_key_problem(k)]).filter(p, p[1] != '')
  .map(p, "invalid label key '" + p[0] + "': it " + p[1]))"},
    {"label_value_problems",
     R"($1.filter(v, type(v) == string && v != '' && !is_placeholder(v)).map(v, [string(v), name_problem(v)]).filter(p, p[1] != '')
  .map(p, "invalid label value '" + p[0] + "': it " + p[1] + $2))"},

    // Resources.
    {"is_accelerator",
     "($1 in variables.acceleratorResources || "
     "variables.acceleratorResourcePrefixes.exists(s, $1.startsWith(s)))"},
    {"is_extended_resource",
     "($1.contains('/') && !$1.contains('kubernetes.io/') && !$1.startsWith('requests.') && "
     "is_label_key($1))"},
    {"is_positive", "(!isQuantity(string($1)) || sign(quantity(string($1))) != 0)"},
    // The requests and the limits of a container.
    {"amounts", "['requests', 'limits'].map(f, dyn(map_of($1.?resources[?f])))"},
    // Whether a container requests or limits a resource `$2` for which `$3` holds.
    {"any_request", "$1.exists(c, amounts(c).exists(m, m.exists($2, $3 && is_positive(m[$2]))))"},

    // The first name of such a resource, in a list of a list of at most one.
    {"first_request",
     "[$1.map(c, amounts(c).map(m, m.map($2, $3 && is_positive(m[$2]), string($2)).join(' '))"
     ".join(' ')).join(' ').split(' ').filter(x, x != '')].map(l, l.filter(x, l.all(y, x <= y)))"},
    // The accelerators that a container limits, then those that it requests.
    {"accelerators_of",
     "[[map_of($1.?resources.?limits), map_of($1.?resources.?requests)]].map(p, "
     "p[0].filter(n, is_accelerator(n) && is_positive(p[0][n])) + "
     "p[1].filter(n, is_accelerator(n) && is_positive(p[1][n])))[0]"},
    {"is_auxiliary_resource",
     "$1.matches('^(nvidia[.]com/(gpumem|gpucores|priority)|(volcano[.]sh|aliyun[.]com|"
     "tencent[.]com)/|gpu[.]intel[.]com/monitoring)|_monitoring$')"},
    // Of a list that has items. The order of a map's keys is random.
    {"first_of", "$1.filter(n, $1.all(other, n <= other))[0]"},

    // Labels of nodes.
    {"is_accelerator_label",
     "([$1.split('/')].exists(p, p[p.size() - 1] in "
     "variables.acceleratorLabels[?p[0]].orValue([])) "
     "|| variables.acceleratorLabelPrefixes.exists(s, $1.startsWith(s)))"},

    // Pods. core/workspace/workload.h.
    {"is_pinned",
     "($1.nodeSelector.size() > 0 || $1.required.size() > 0 || text($1.spec.?nodeName) != '')"},
    {"takes_placement_advice",
     "(variables.isServing || "
     "any_request($1.allContainers, n, is_accelerator(n)) || "
     "$1.nodeSelector.exists(k, is_accelerator_label(k)) || "
     "$1.required.exists(t, list(t.?matchExpressions).exists(r, "
     "is_accelerator_label(text(r.?key)))) || "
     "$1.tolerations.exists(t, is_accelerator(t.key)))"},
    // Facts about the cluster, from the ConfigMap that vap.cpp writes; empty if not known.
    {"fact", "params.?data[?$1].orValue('')"},
    // Whether the binding is for findings of a severity.
    {"reports", "params.?data[?'severities'].orValue($1).contains($1)"},
    {"shows_deployment",
     "(fact('kserve.defaultDeploymentMode') != '' || "
     "params.?data.orValue({}).exists(k, k.startsWith('knative.')))"},

    // KServe. core/kserve/deployment_mode.h; empty: the default, which is not known.
    {"annotation", "text($1.?metadata.?annotations[?$2])"},
    // KServe before 0.16 reads neither the status nor the new names.
    {"is_old_kserve", "fact('kserve.release').matches('^0[.]([0-9]|1[0-5])[.]')"},
    {"kserve_release",
     "[fact('kserve.release')].map(r, r.endsWith('.0') ? r.substring(0, r.size() - 2) : r)[0]"},
    {"deployment_mode",
     R"([annotation($1, 'serving.kserve.io/deploymentMode')].map(annotated,
  [is_old_kserve() ? '' : text($1.?status.?deploymentMode), annotated]
    .filter(m, m in variables.modes && !(is_old_kserve() && m in ['Knative', 'Standard'])).map(m, variables.modes[m]) +
  [is_placeholder(annotated) ? 'unclear' :
   fact('kserve.defaultDeploymentMode') in variables.modes ? variables.modes[fact('kserve.defaultDeploymentMode')] :
   annotated == '' && ['predictor', 'transformer', 'explainer'].exists(c, is_set($1.spec[?c].?deploymentStrategy)) ? 'unclear' :
   ''])[0][0])"},
    {"is_stopped", "(annotation($1, 'serving.kserve.io/stop').lowerAscii() == 'true')"},
    {"is_of_open_data_hub",
     "('opendatahub.io/dashboard' in map_of($1.metadata.?labels) || "
     "'serving.knative.openshift.io/enablePassthrough' in map_of($1.metadata.?annotations))"},
    // Flags of Knative: `$1` is an item of pod.gated.
    {"flag", "fact('knative.' + $1.flag)"},
    {"is_off",
     "(flag($1) != '' && flag($1) != 'enabled' && "
     "(flag($1) != 'allowed' || $1.properties.contains('strict')))"},
    {"is_unknown",
     "(flag($1) == '' && !$1.properties.contains('on') && "
     "!($1.properties.contains('odh') && is_of_open_data_hub(pod.object)))"},
    {"off_word", "(flag($1) == 'allowed' ? \"'allowed' and must be 'enabled'\" : 'off')"},
    // Who rejects a pod whose resources are invalid. rules/common/rejection.h.
    {"rejection",
     R"((request.kind.kind in ['Server', 'StatefulSet'] ? 'the API server rejects the StatefulSet, or before Kubernetes 1.34 each of its pods' :
  request.kind.kind in ['Deployment', 'SeldonDeployment'] ? 'the API server rejects the Deployment' :
  request.kind.kind == 'InferenceService' && annotation($1.object, 'serving.kserve.io/deploymentMode') in ['RawDeployment', 'Standard'] ? 'the API server rejects the Deployment that KServe creates' :
  'the API server rejects the pod' + (request.kind.kind == 'InferenceService' && annotation($1.object, 'serving.kserve.io/deploymentMode') in ['Serverless', 'Knative'] ? ", and Knative's Revision fails" : '')))"},
    // The resources of a container with a request above the limit, as [name, request, limit].
    {"amounts_above_limit",
     R"(['cpu', 'memory', 'ephemeral-storage'].map(n, [n, any_text($1.?resources.?requests[?n]), any_text($1.?resources.?limits[?n])])
  .filter(a, isQuantity(a[1]) && isQuantity(a[2]) && sign(quantity(a[2])) >= 0 && quantity(a[1]).isGreaterThan(quantity(a[2]))))"},
    // Whose device the resource is: a vendor, or the domain of another one.
    {"vendor_of",
     "(variables.resourceVendors.filter(v, $1.startsWith(v[0]))"
     ".map(v, v[1] == 'another vendor' ? $1.split('/')[0] : v[1]) + ['NVIDIA'])[0]"},
    {"is_device",
     R"((is_accelerator($1) && isQuantity(string($2)) && sign(quantity(string($2))) != 0 &&
  !is_auxiliary_resource($1) &&
  !(vendor_of($1).contains('.') && $1.matches('(?i)/.*(mem|core)'))))"},
    // The accelerators of each container, as [resource, vendor, container].
    {"devices_of",
     R"($1.allContainers.map(c, {'limits': map_of(c.?resources.?limits), 'requests': map_of(c.?resources.?requests), 'name': dyn(is_set(c.?name) ? text(c.?name) : 'kserve-container')})
  .map(r, (r.limits.map(n, is_device(n, r.limits[n]), dyn(n)) + r.requests.map(n, !(n in r.limits) && is_device(n, r.requests[n]), dyn(n)))
    .map(n, [string(n), vendor_of(n), string(r.name)])))"},
    {"is_pod_level_resource", "($1 in ['cpu', 'memory'] || $1.startsWith('hugepages-'))"},
    {"pod_level_advice",
     R"((!any_request([$1.spec], x, !is_pod_level_resource(x)) ? 'remove it: a pod without a request gets no device' :
  any_request($1.allContainers, x, x == $2) ? 'remove it: a container already requests it' :
  "move it to the 'resources' of " + (variables.serverBlocks.filter(k, k in $1.spec).map(k, "'" + k + "'") +
   ($1.containers.size() == 1 && is_set($1.containers[0].?name) ? ["container '" + $1.containers[0].name + "'"] : []) + ['the container that uses the accelerator'])[0]))"},
    // Whether KServe chooses a runtime, which is merged into the pod.
    {"is_runtime_chosen",
     "(request.kind.kind == 'InferenceService' && $1.name in ['predictor', 'worker'] && "
     "variables.serverBlocks.exists(k, k in $1.object.spec.predictor))"},
    // Whether KServe does not know which of several containers is the model server, and makes no
    // pod.
    {"has_no_server",
     "($1.containers.size() > 1 && !variables.serverBlocks.exists(k, k in $1.spec) && "
     "!$1.containers.exists(c, text(c.?name) == 'kserve-container'))"},
    // Whether another scheduler, or an object that is not known, may place the pod.
    {"is_placed_by_others",
     "(!(text($1.spec.?schedulerName) in ['', 'default-scheduler']) || "
     "is_set($1.spec.?runtimeClassName) || "
     "annotation($1.object, 'opendatahub.io/hardware-profile-name') != '' || "
     "'kueue.x-k8s.io/queue-name' in map_of($1.object.metadata.?labels) || "
     "'kueue.x-k8s.io/queue-name' in $1.labels || "
     "annotation($1.object, 'serving.kserve.io/exp-dra-device-class') != '')"},
    // Whether a request gets no device, because of its name or because it is of the pod.
    {"is_standard_resource",
     "($1 in ['cpu', 'memory', 'ephemeral-storage'] || $1.startsWith('hugepages-'))"},
    {"requests_unobtainable",
     "(any_request([$1.spec], n, !is_standard_resource(n)) || "
     "any_request($1.allContainers, n, !is_standard_resource(n) && !is_extended_resource(n)))"},

    {"has_workers", "(type(dyn(object.spec.?predictor.?workerSpec.orValue(''))) == map)"},
    // The class of autoscaler of a component, whose annotations come first.
    {"autoscaler_class",
     "text($1.spec.?annotations[?'serving.kserve.io/autoscalerClass']"
     ".or($1.object.metadata.?annotations[?'serving.kserve.io/autoscalerClass']))"},
    // `$2`: annotation, field and default. rules/kserve/min_scale_annotation.cpp.
    {"component_scale", "string(dyn(object.spec[$1][?$2[1]].orValue($2[2])))"},
    // rules/kserve/parallelism_gpus.cpp.
    {"sets_parallelism", "$1.matches('(tensor|data|pipeline)[-_]parallel|-(tp|dp|pp)')"},
    // rules/kserve/accelerator_annotation.cpp, of a component.
    {"has_gpu_limit",
     "(variables.serverBlocks.filter(k, k in $1).map(k, $1[k]) + list($1.?containers))"
     ".exists(c, 'nvidia.com/gpu' in map_of(c.?resources.?limits))"},
    {"may_have_gpu_limit",
     "(variables.serverBlocks.exists(k, k != 'art' && k in $1) || has_gpu_limit($1) || "
     "any_request([$1], n, !is_standard_resource(n)) || "
     "any_request(list($1.?containers), n, !is_standard_resource(n) && "
     "!is_extended_resource(n)))"},
    // rules/kserve/worker_unpinned.cpp. The labels that a pod spec requires of its nodes.
    {"pins_of",
     R"((map_of($1.?nodeSelector).map(k, dyn(k)).filter(k, !(k in variables.impliedLabels)) +
  list($1.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms).map(t,
    list(t.?matchExpressions).filter(r, text(r.?operator) in ['In', 'Exists', 'Gt', 'Lt'] && !(text(r.?key) in variables.impliedLabels)))
  .filter(l, l.size() > 0).map(l, dyn(l[0].key))))"},
    // The tolerations of a pod spec that `pod` does not have: taint, toleration and key of each.
    {"missing_tolerations",
     R"(list($1.?tolerations).map(t, {'key': text(t.?key), 'value': text(t.?operator) == 'Exists' ? '' : '=' + text(t.?value),
      'effect': text(t.?effect) == '' ? 'NoSchedule' : text(t.?effect), 'written': text(t.?effect)})
  .filter(t, t.key != '' && !t.key.startsWith('node.kubernetes.io/') && !is_placeholder(t.key) && !is_placeholder(t.value) && t.effect in ['NoSchedule', 'NoExecute'] &&
    !pod.tolerations.exists(u, u.effect in ['', t.effect] && (u.operator == 'Exists' ? u.key in ['', t.key] : u.key == t.key && '=' + u.value == t.value))))"},
    // What Knative drops that decides where the pod runs: the name and what happens without it.
    {"dropped_placement",
     R"(([['nodeName', "'nodeName'", 'the pod runs on any node'],
  ['resourceClaims', "'resourceClaims'", 'the pod gets no device'],
  ['preemptionPolicy', "'preemptionPolicy'", 'the priority class alone decides what the pod preempts'],
  ['priority', "'priority'", 'the pod keeps the default priority'],
  ['schedulingGates', "'schedulingGates'", 'the pod is scheduled at once'],
  ['overhead', "'overhead'", 'the scheduler does not add it to the requests'],
  ['resources', "pod-level 'resources'", 'only the resources of the containers count']].filter(l,
    is_set($1.spec[?l[0]]) && (l[0] != 'preemptionPolicy' || $1.spec.preemptionPolicy != 'PreemptLowerPriority') &&
    (l[0] != 'priority' || !is_set($1.spec.?priorityClassName)) &&
    (l[0] != 'resources' || !['limits', 'requests'].exists(r, map_of($1.spec.resources[?r]).exists(n,
      !(n in ['cpu', 'memory']) && !n.startsWith('hugepages-'))))).map(l, [l[1], l[2]]) +
  (!is_set($1.spec.?resourceClaims) && $1.allContainers.exists(c, is_set(c.?resources.?claims)) ?
    [["'resources.claims' of a container", 'the container gets no device']] : [])))"},

    // Seldon. core/seldon/agent.h.
    {"has_image_name", "text($1.?image).matches('^([^@]*/)?[^/:@]*' + $2 + '[^/@]*(@.*)?$')"},
    // The container of the agent in a list: a list of at most one.
    {"seldon_agent",
     "[$1.filter(c, text(c.?name) == 'agent') + $1.filter(c, has_image_name(c, 'seldon-agent'))]"
     ".filter(l, l.size() > 0).map(l, l[0])"},
    {"is_agent",
     "(text($1.?name) == 'agent' || (has_image_name($1, 'seldon-agent') && "
     "!$2.exists(a, text(a.?name) == 'agent')))"},
    // The effective variable of a container: a list of at most one.
    {"last_variables",
     "[list($1.?env).filter(e, text(e.?name) == $2)].filter(l, l.size() > 0)"
     ".map(l, l[l.size() - 1])"},
    {"may_be_set_elsewhere",
     "(is_set($1.?envFrom) || "
     "(list($1.?command) + list($1.?args)).exists(w, string(w).contains('-' + $2)))"},
    // Whether the containers are all of a ServerConfig: it is no patch.
    {"is_whole_config",
     "(request.kind.kind == 'ServerConfig' && !(text(object.metadata.?name) in ['mlserver', "
     "'triton']) && $1.size() > 0 && $1.all(c, text(c.?name) != '' && "
     "!is_placeholder(text(c.?name)) && text(c.?image) != ''))"},
    // Containers beside those of Seldon's ServerConfig `$2`. core/seldon/container_names.cpp.
    {"is_additional",
     "(text($1.?name) != '' && !is_placeholder(text($1.?name)) && "
     "!(text($1.?name) in ['rclone', 'agent', $2]))"},
    {"is_model_server_name",
     "$1.matches('(?i)^(container|inference-server|kserve-container|main|model|model-server|server|"
     "(mlserver|triton)(-container|-?server)?)$')"},
    {"advice_on_name",
     "($1 in ['mlserver', 'triton'] ? \"name it '\" + $2 + \"', or write 'serverConfig: \" + $1 + "
     "\"'\" : \"name it '\" + $2 + \"': names must match exactly\")"},
    {"first_capabilities",
     "($1.size() > 3 ? \"'\" + $1[0] + \"', '\" + $1[1] + \"', '\" + $1[2] + \"' and \" + "
     "string($1.size() - 3) + ' more' : \"'\" + $1.join(\"', '\") + \"'\")"},
    // What a Server loses by its own variable of capabilities: a list of at most one message.
    {"lost_capabilities",
     "[text($1.?value)].filter(v, v != '' && !is_placeholder(v) && "
     "text(object.spec.?serverConfig) in variables.shippedCapabilities)"
     ".map(v, v.split(',').map(w, w.trim())).map(own, "
     "variables.shippedCapabilities[object.spec.serverConfig].filter(t, !(t in own)))"
     ".filter(l, l.size() > 0).map(l, \"this list replaces that of Seldon's ServerConfig '\" + "
     "object.spec.serverConfig + \"': the Server loses \" + first_capabilities(l))"},

    // Affinity.
    {"is_empty_term",
     "(list($1.?matchExpressions).size() == 0 && list($1.?matchFields).size() == 0 && "
     "$1.all(k, k in ['matchExpressions', 'matchFields']))"},

    // The terms that select nodes, or one without expressions.
    {"terms_of",
     "[$1.required.filter(t, !is_empty_term(t))].map(l, l.size() == 0 ? [dyn({})] : l)[0]"},
    // Whether other objects may add terms to the required ones, which are ORed.
    {"may_get_more_terms",
     "(request.kind.group == 'mlops.seldon.io' && ($1.fragment || !$1.complete))"},
    {"requires_label", "(text($1.?operator) in ['In', 'Exists', 'Gt', 'Lt'])"},
    // The keys of labels that a node of the term `$2` must have.
    {"required_keys",
     "($1.nodeSelector.map(k, string(k)) + list($2.?matchExpressions).filter(r, "
     "requires_label(r) && (text(r.?operator) != 'In' || list(r.?values).size() > 0 && "
     "!list(r.?values).exists(v, is_placeholder(string(v))))).map(r, text(r.?key)))"},
    // The node label that KServe makes of its annotation: a list of at most one value.
    {"gke_accelerator",
     "(request.kind.kind == 'InferenceService' && has_gpu_limit($1.spec) && "
     "!('cloud.google.com/gke-accelerator' in $1.nodeSelector) ? "
     "[text($1.spec.?annotations[?'serving.kserve.io/gke-accelerator']"
     ".or($1.object.metadata.?annotations[?'serving.kserve.io/gke-accelerator']))]"
     ".filter(v, v != '' && !is_placeholder(v)) : [])"},
    // For each term, the labels of two providers that it requires, as messages.
    {"mixed_clouds",
     R"cel(terms_of($1).map(t, [required_keys($1, t).filter(k, variables.clouds.exists(c, k.startsWith(c[0])))
    .map(k, [dyn(variables.clouds.filter(c, k.startsWith(c[0]))[0][1]), dyn("'" + k + "'")]) +
    gke_accelerator($1).map(v, [dyn('GKE'), dyn("from the annotation 'serving.kserve.io/gke-accelerator'")])].map(all,
  all.map(a, all.filter(b, b[0] > a[0]).map(b, 'no node has labels of both ' + a[0] + ' (' + a[1] + ') and ' + b[0] + ' (' + b[1] + ')')
    .join('\n')).join('\n').split('\n').filter(m, m != ''))[0]))cel"},
    // The requirements of nodeSelector and the term `$2` that can be compared.
    {"demands_of",
     R"(($1.nodeSelector.map(k, {'key': dyn(variables.renamedLabels[?k].orValue(k)), 'op': dyn('In'), 'values': dyn([string($1.nodeSelector[k])]), 'place': dyn('a'), 'text': dyn("'" + k + ': ' + string($1.nodeSelector[k]) + "'")}) +
  gke_accelerator($1).map(v, {'key': dyn('cloud.google.com/gke-accelerator'), 'op': dyn('In'), 'values': dyn([v]), 'place': dyn('a'), 'text': dyn("'serving.kserve.io/gke-accelerator: " + v + "'")}) +
  (list($2.?matchExpressions).map(r, [dyn(r), dyn('')]) + list($2.?matchFields).map(r, [dyn(r), dyn('field ')])).map(p, {
    'key': dyn(string(p[1]) + variables.renamedLabels[?text(p[0].?key)].orValue(text(p[0].?key))), 'op': dyn(text(p[0].?operator)), 'values': dyn(list(p[0].?values).map(v, string(v))), 'place': dyn('b'),
    'text': dyn("'" + text(p[0].?key) + ' ' + text(p[0].?operator) + (list(p[0].?values).size() == 0 ? '' : list(p[0].?values).size() == 1 ? ' ' + string(p[0].values[0]) :
      ' [' + list(p[0].?values).filter(v, v in list(p[0].?values)).map(v, string(v)).join(', ') + ']') + "'")}))
 .filter(d, !is_placeholder(d.key) && !d.values.exists(v, is_placeholder(v)) && (d.op in ['Exists', 'DoesNotExist'] ||
   d.op in ['In', 'NotIn'] && d.values.size() > 0 || d.op in ['Gt', 'Lt'] && d.values.size() == 1 && is_integer(d.values[0]))))"},
    {"excludes_value",
     R"(($1.op == 'In' ? !($2 in $1.values) : $1.op == 'NotIn' ? $2 in $1.values :
  $1.op in ['Gt', 'Lt'] && !(is_integer($2) && ($1.op == 'Gt' ? int($2) > int($1.values[0]) : int($2) < int($1.values[0])))))"},
    // For each term, what no node satisfies together, as messages.
    {"contradictions",
     R"(terms_of($1).map(t, [demands_of($1, t)].map(all, [
  all.map(a, all.filter(r, r.key == a.key && (a.op == 'In' && (r.op != 'In' || a.place + a.text < r.place + r.text) && a.values.all(v, excludes_value(r, v)) ||
      a.op in ['In', 'Exists', 'Gt', 'Lt'] && r.op == 'DoesNotExist' || a.op == 'Gt' && r.op == 'Lt' && int(r.values[0]) - int(a.values[0]) < 2))
    .map(r, 'no node satisfies both ' + a.text + ' and ' + r.text).join('\n')).join('\n').split('\n').filter(m, m != '')].map(pairs, pairs.size() > 0 ? pairs :
  all.filter(a, a.op == 'In' && a.values.all(v, all.exists(r, r.key == a.key && excludes_value(r, v)))).map(a, "no node satisfies all requirements on '" + a.key + "'"))[0])[0]))"},
    // Spelling: whether one edit, not of a digit, makes `$2` of `$1`. core/base/suggest.h.
    {"is_misspelling",
     R"(($1.lowerAscii() == $2.lowerAscii() || $1.size() > 3 && $1.findAll('[0-9]') == $2.findAll('[0-9]') &&
  [$1.lowerAscii()].exists(w, variables.positions.exists(i,
    w.size() == $2.size() && i < w.size() && w.substring(0, i) == $2.substring(0, i) && (w.substring(i + 1) == $2.substring(i + 1) ||
      i + 2 <= w.size() && w.substring(i + 2) == $2.substring(i + 2) && w.substring(i, i + 1) == $2.substring(i + 1, i + 2) && w.substring(i + 1, i + 2) == $2.substring(i, i + 1)) ||
    w.size() == $2.size() + 1 && i < w.size() && w.substring(0, i) + w.substring(i + 1) == $2 ||
    w.size() + 1 == $2.size() && i < $2.size() && $2.substring(0, i) + $2.substring(i + 1) == w))))"},
    // Devices. core/accelerators/resource_name.h.
    {"sees_devices", "list($1.?env).exists(e, text(e.?name) == 'NVIDIA_VISIBLE_DEVICES')"},
    {"has_device_access",
     "(any_request([$1], n, is_extended_resource(n)) || "
     "list($1.?resources.?claims).size() > 0 || sees_devices($1))"},
    {"means_accelerator", "(is_accelerator_label($1) && !(string($2) in ['false', '0', 'none']))"},
    {"is_complete_program",
     "($1.?image.hasValue() && ['command', 'args', 'ports'].exists(f, $1[?f].hasValue()))"},
    // The name of an accelerator that the container requests, or nothing.
    {"first_device",
     R"([amounts($1).map(m, m.filter(n, is_accelerator(n) && isQuantity(string(m[n])) && sign(quantity(string(m[n]))) != 0).map(n, string(n)).join(' ')).join(' ').split(' ').filter(n, n != '')]
  .map(l, l.filter(n, !l.exists(o, o < n)) + [''])[0][0])"},
    // The terms of pod affinity and anti-affinity in the list `$2`.
    {"pod_terms",
     "(list($1.spec.?affinity.?podAffinity[?$2]) + list($1.spec.?affinity.?podAntiAffinity[?$2]))"},
    // The selectors of pods in pod affinity and spread constraints.
    {"pod_selectors",
     R"((list($1.spec.?topologySpreadConstraints) + pod_terms($1, 'requiredDuringSchedulingIgnoredDuringExecution') +
  pod_terms($1, 'preferredDuringSchedulingIgnoredDuringExecution').map(t, map_of(t.?podAffinityTerm))).map(t, map_of(t.?labelSelector)))"},
    {"is_on_aks",
     R"(($1.nodeSelector.exists(k, k.startsWith('kubernetes.azure.com/') || k == 'node.kubernetes.io/instance-type' && string($1.nodeSelector[k]).startsWith('Standard_')) ||
  ($1.required + $1.preferred).exists(t, list(t.?matchExpressions).exists(r, text(r.?key).startsWith('kubernetes.azure.com/') ||
    text(r.?key) == 'node.kubernetes.io/instance-type' && list(r.?values).size() > 0 && string(r.values[0]).startsWith('Standard_'))) ||
  $1.tolerations.exists(t, t.key.startsWith('kubernetes.azure.com/') || t.key == 'sku' && t.value == 'gpu')))"},
    {"is_integer",
     "($1.matches('^0*[0-9]{1,18}$') || "
     "$1.matches('^[0-9]{19}$') && $1 <= '9223372036854775807')"},
    // The expressions of a term that compare what is no integer, as [key, operator, value].
    {"integer_faults",
     R"(list($1.?matchExpressions).filter(r, text(r.?operator) in ['Gt', 'Lt'] && list(r.?values).size() == 1 && type(r.values[0]) == string)
  .map(r, [text(r.?key), text(r.?operator), string(r.values[0])])
  .filter(r, !is_placeholder(r[0]) && !is_placeholder(r[2]) && is_label_value(r[2]) && (!is_integer(r[2]) || r[0] in variables.textLabels)))"},
    // A message about one of them; `$2` is its effect.
    {"integer_fault_text",
     R"((is_integer($1[2]) ?
    'operator ' + $1[1] + " never matches '" + $1[0] + "', whose values are not integers ('" + variables.textLabels[$1[0]] + "'): " + $2 :
    "value '" + $1[2] + "' of operator " + $1[1] + ' must be an integer' + ($1[2].matches('^[0-9]+$') ? ' of 64 bits: ' : ': ') + $2) +
  ($1[0] in variables.textLabels ? "; use In with a list of values: the label has values such as '" + variables.textLabels[$1[0]] + "'" :
   $1[2].matches('^[0-9]+$') ? '' :
   $1[2].matches('^[1-9][0-9]{0,8}([gG]i?[bB]?)$') && $1[0].matches('^nvidia[.]com/(mig-.*|gpu)[.]memory$|/instance-gpu-memory$') ?
     '; the label is in MiB, often slightly below the nominal size: write "' + string(int($1[2].find('[0-9]+')) * 950) + '" for cards ' +
     ($1[1] == 'Gt' ? 'with ' + $1[2].find('[0-9]+') + ' GB or more' : 'below ' + $1[2].find('[0-9]+') + ' GB') :
   $1[2].matches('^[0-9]+[.][0-9]*$') ? '; ' + $1[1] + ' compares integers' :
   $1[2].matches('^[1-9][0-9]{0,8}([gGmM]i?[bB]?)$') ? '; write only the number, in the unit of the label' : '; write an integer, such as "100"'))"},
    // Whether no required term can match because of them, and no other object adds terms.
    {"integers_leave_no_node",
     "(!pod.required.exists(t, !is_empty_term(t) && integer_faults(t).size() == 0) && "
     "!may_get_more_terms(pod))"},

    // Taints. core/k8s/managed_taint.cpp.
    {"is_general_taint",
     "$1.matches('^(node[.]kubernetes[.]io/|node[.]cloudprovider[.]kubernetes[.]io/|"
     "node-role[.]kubernetes[.]io/|karpenter[.]sh/|cloud[.]google[.]com/gke-(spot|preemptible))|"
     "/agent-not-ready$|"
     "^(CriticalAddonsOnly|kubernetes[.]io/arch|kubernetes[.]azure[.]com/scalesetpriority)$')"},
    {"is_managed_taint",
     "($1.startsWith('node-role.kubernetes.io/') ? "
     "$1 in ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'] : "
     "$1.matches('kubernetes[.]io/|^karpenter[.]sh/|/agent-not-ready$|^(karpenter[.])?kaito[.]sh/|"
     "^(ToBeDeletedBy|DeletionCandidateOf)ClusterAutoscaler$|^CriticalAddonsOnly$'))"},
    {"taint_text",
     "(text($1.?key) + (text($1.?value) == '' ? '' : '=') + text($1.?value) + ':' + "
     "text($1.?effect))"},
    // Whether a toleration `$2`, 'key|operator|value|effect', tolerates the taint.
    {"is_tolerated_by",
     "[$2.split('|')].exists(p, p.size() == 4 && (p[3] == '' || p[3] == text($1.?effect)) && "
     "(p[0] == '' || p[0] == text($1.?key)) && "
     "(p[1] == 'Exists' || (p[1] == 'Equal' && p[2] == text($1.?value))))"},

    // Nodes. core/facts/node_pools.cpp.
    {"advertises_accelerators",
     "[map_of($1.?status.?allocatable)].exists(m, m.exists(n, is_accelerator(n) && "
     "isQuantity(string(m[n])) && sign(quantity(string(m[n]))) != 0))"},
    {"is_bottlerocket", "text($1.?status.?nodeInfo.?osImage).contains('Bottlerocket')"},
    {"is_managed_by_gke",
     "[map_of($1.metadata.?labels)].exists(m, "
     "m.exists(k, k.startsWith('cloud.google.com/gke-')) && "
     "!m.exists(k, k.startsWith('nvidia.com/')))"},
    // The vendors that labels and taints of a node show, the first one first.
    {"accelerator_vendors",
     R"(['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'].filter(k,
    variables.machineVendors.exists(r, text($1.metadata.?labels[?k]).startsWith(r[0])))
  .map(k, variables.machineVendors.filter(r, text($1.metadata.?labels[?k]).startsWith(r[0]))[0][1]) +
[map_of($1.metadata.?labels)].map(m, m.filter(k, is_accelerator_label(k) && !(m[k] in ['false', '0', 'none']))
  .map(k, (variables.valueVendors.filter(r, string(m[k]).startsWith(r[0])) +
    variables.labelVendors.filter(r, k.startsWith(r[0])) + [['', 'NVIDIA']])[0][1]))[0] +
list($1.spec.?taints).map(t, text(t.?key)).filter(k, is_accelerator(k))
  .map(k, (variables.resourceVendors.filter(r, k.startsWith(r[0])) + [['', 'NVIDIA']])[0][1]))"},

    // The device plugin of the first vendor, a list of at most one.
    {"plugins_of",
     "[accelerator_vendors($1)].map(v, v.size() == 0 || !(v[0] in variables.devicePlugins) ? [] : "
     "[variables.devicePlugins[v[0]]])[0]"},
    {"plugin_fact", "fact($1.fact)"},
    {"repelling_taints",
     "list($1.spec.?taints).filter(t, text(t.?effect) in ['NoSchedule', 'NoExecute'] && "
     "!is_managed_taint(text(t.?key)))"},
    {"is_set_by_aks", "text($1.?key).startsWith('kubernetes.azure.com/')"},

    // Amounts: `$1` is optional.
    {"is_fraction",
     "($1.hasValue() && isQuantity(string(dyn($1.orValue('')))) && "
     "[quantity(string(dyn($1.orValue('')))).asApproximateFloat()].exists(f, double(int(f)) != "
     "f))"},
});

constexpr auto kPodFields = std::to_array<Fragment>({
    {"object", "o"},
    {"name", "name"},
    {"spec", "m[name]"},
    {"labels",
     "request.kind.group == 'serving.kserve.io' ? "
     "map_of(m[name].?labels) : map_of(o.spec.?template.?metadata.?labels)"},
    // Whether nothing that the object names is merged into it, such as a runtime. A component
    // without a server is a part of what another one patches.
    {"complete",
     "request.kind.kind == 'InferenceService' ? "
     "(!(name in ['predictor', 'worker']) || text(o.spec.predictor.?model.?runtime) == '') && "
     "(name == 'worker' || is_set(m[name].?containers) || "
     "variables.serverBlocks.exists(k, k in m[name])) : "
     "request.kind.kind == 'LLMInferenceService' ? list(o.spec.?baseRefs).size() == 0 : "
     "request.kind.kind != 'Server' || text(o.spec.?serverConfig) in ['', 'mlserver', 'triton']"},
    // Whether it is merged into pods of other objects.
    {"fragment",
     "request.kind.kind in ['ServingRuntime', 'ClusterServingRuntime', 'ServerConfig']"},
    {"containers",
     "variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + "
     "list(m[name].?containers)"},
    {"allContainers",
     "list(m[name].?initContainers) + "
     "variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + "
     "list(m[name].?containers)"},
    {"nodeSelector", "map_of(m[name].?nodeSelector)"},
    {"required",
     "list(m[name].?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution"
     ".?nodeSelectorTerms)"},
    {"preferred",
     "list(m[name].?affinity.?nodeAffinity.?preferredDuringSchedulingIgnoredDuringExecution)"
     ".map(t, map_of(t.?preference))"},
    // The fields that Knative rejects unless a flag is set. core/kserve/knative_features.cpp.
    {"gated",
     R"(variables.gatedFields.filter(g, g[2].contains('pointer') ? m[name][?g[0]].hasValue() : is_set(m[name][?g[0]]))
    .map(g, {'field': "'" + g[0] + "'", 'flag': g[1], 'properties': g[2]}) +
  variables.gatedVolumes.filter(g, list(m[name].?volumes).exists(v, v[?g[0]].hasValue()))
    .map(g, {'field': "'volumes[]." + g[0] + "'", 'flag': g[1], 'properties': g[2]}) +
  (list(m[name].?volumes).exists(v, has(v.persistentVolumeClaim) && v.persistentVolumeClaim.?readOnly.orValue(false) != true) ?
    [{'field': "'volumes[].persistentVolumeClaim' without readOnly", 'flag': 'kubernetes.podspec-persistent-volume-write', 'properties': 'strict odh'}] : []) +
  (list(m[name].?storageUris).exists(u, !text(u.?uri).startsWith('pvc://')) ?
    [{'field': "the init container that 'storageUris' requires", 'flag': 'kubernetes.podspec-init-containers', 'properties': 'strict'}] : []) +
  [list(m[name].?initContainers) + variables.serverBlocks.filter(k, k in m[name]).map(k, m[name][k]) + list(m[name].?containers)].map(cs,
  ['fieldRef', 'resourceFieldRef'].filter(f, cs.exists(c, list(c.?env).exists(e, is_set(e.?valueFrom[?f]))))
    .map(f, {'field': "'env[].valueFrom." + f + "'", 'flag': 'kubernetes.podspec-fieldref', 'properties': ''}) +
  (cs.exists(c, list(c.?volumeMounts).exists(v, is_set(v.?mountPropagation))) ?
    [{'field': "'volumeMounts[].mountPropagation'", 'flag': 'kubernetes.podspec-volumes-mount-propagation', 'properties': 'strict'}] : []) +
  (cs.exists(c, is_set(c.?securityContext.?capabilities.?add)) ?
    [{'field': "'securityContext.capabilities.add'", 'flag': 'kubernetes.containerspec-addcapabilities', 'properties': 'strict'}] : []))[0])"},
    {"tolerations",
     "list(m[name].?tolerations).map(t, {'key': any_text(t.?key), "
     "'operator': is_set(t.?operator) ? any_text(t.?operator) : 'Equal', "
     "'value': any_text(t.?value), 'effect': any_text(t.?effect), "
     "'seconds': t.?tolerationSeconds.hasValue() && t.tolerationSeconds != null ? "
     "string(t.tolerationSeconds) : ''})"},
});

}  // namespace

std::span<const Fragment> fragments() { return kFragments; }

std::span<const Fragment> pod_fields() { return kPodFields; }

}  // namespace cnsched::rules
