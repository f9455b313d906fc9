# Written by bindings/julia/generate.py from the public headers, whose comments say what each means.
"""
The functions and structs of the C library, by the names of its headers. `sized(T; member = value, ...)` is a struct whose other members are 0.
The library is found by the loader, or at the path that ENV["RATTLE_LIBRARY"] names when this module is compiled: librattle_io, which has all functions.
"""
module LibRattle

const library = get(ENV, "RATTLE_LIBRARY", "librattle_io")

"""
A struct with the members that are given, the others 0, and its size where it has a member of that name.
"""
function sized(::Type{T}; members...) where {T}
    cell = Ref{T}()
    ccall(:memset, Ptr{Cvoid}, (Ptr{Cvoid}, Cint, Csize_t), cell, 0, sizeof(T))
    blank = cell[]
    given = Dict{Symbol,Any}(members)
    hasfield(T, :struct_size) && get!(given, :struct_size, sizeof(T))
    for name in keys(given)
        hasfield(T, name) || throw(ArgumentError("$T has no member $name"))
    end
    return T((get(given, name, getfield(blank, name)) for name in fieldnames(T))...)
end

"""
The text of a member of type NTuple{N,Cchar}, such as the message of a rattle_error.
"""
text(characters::NTuple{N,Cchar}) where {N} = String(UInt8[c % UInt8 for c in Iterators.takewhile(!=(0), characters)])

mutable struct rattle_bonds end
mutable struct rattle_cases end
mutable struct rattle_certifier end
mutable struct rattle_chain end
mutable struct rattle_csv end
mutable struct rattle_doctor end
mutable struct rattle_equilibria end
mutable struct rattle_equilibrium end
mutable struct rattle_family end
mutable struct rattle_fit end
mutable struct rattle_graph end
mutable struct rattle_integrator end
mutable struct rattle_method end
mutable struct rattle_model end
mutable struct rattle_orbit end
mutable struct rattle_problem end
mutable struct rattle_record end
mutable struct rattle_sampling end
mutable struct rattle_sites end
mutable struct rattle_slider end
mutable struct rattle_study end
mutable struct rattle_tangent end
mutable struct rattle_trajectory end
mutable struct rattle_verification end
mutable struct rattle_warnings end
mutable struct FILE end
const rattle_status = Cuint
struct rattle_error
    status::rattle_status
    step::Clonglong
    time::Cdouble
    iterations::Cint
    residual::Cdouble
    constraint::Cint
    var"where"::NTuple{264,Cchar}
    message::NTuple{1024,Cchar}
end
struct rattle_bonds_topology
    struct_size::Csize_t
    atoms::Clonglong
    bonds::Clonglong
    pairs::Ptr{Cint}
    lengths::Ptr{Cdouble}
    masses::Ptr{Cdouble}
    angles::Clonglong
    angle_atoms::Ptr{Cint}
    angle_values::Ptr{Cdouble}
    bodies::Clonglong
    body_first::Ptr{Clonglong}
    body_atoms::Ptr{Cint}
    body_places::Ptr{Cdouble}
end
struct rattle_bonds_options
    struct_size::Csize_t
    tolerance::Cdouble
    instructions::Ptr{Cchar}
    solver::Ptr{Cchar}
    lincs_order::Cint
    lincs_iterations::Cint
    threads::Cint
end
struct rattle_bonds_solver
    name::Ptr{Cchar}
    clusters::Ptr{Cchar}
    source::Ptr{Cchar}
    text::Ptr{Cchar}
end
struct rattle_bonds_box
    edge::NTuple{3,NTuple{3,Cdouble}}
end
struct rattle_bonds_summary
    struct_size::Csize_t
    atoms::Clonglong
    bonds::Clonglong
    clusters::Clonglong
    shapes::Clonglong
    largest::Clonglong
    rings::Clonglong
    width::Cint
    instructions::Ptr{Cchar}
    repeated::Clonglong
    lines::Clonglong
    rigid::Clonglong
end
struct rattle_bonds_half_step
    struct_size::Csize_t
    f::Ptr{Cdouble}
    by::Cdouble
    scale::Cdouble
    x0::Ptr{Cdouble}
    forces::Ptr{Cdouble}
end
struct rattle_bonds_outputs
    struct_size::Csize_t
    multipliers::Ptr{Cdouble}
    forces::Ptr{Cdouble}
    virial::Ptr{Cdouble}
    scale::Cdouble
end
struct rattle_bonds_rule
    name::Ptr{Cchar}
    source::Ptr{Cchar}
    text::Ptr{Cchar}
end
const rattle_expr = UInt32
const rattle_op = Cuint
struct rattle_parameter
    name::Ptr{Cchar}
    value::Cdouble
end
struct rattle_model_options
    struct_size::Csize_t
    parameters::Ptr{rattle_parameter}
    parameter_count::Cint
    max_instructions::Clonglong
    max_memory::Csize_t
    cotangent::Cint
    max_seconds::Cdouble
    old_names::Cint
    inputs::Ptr{Ptr{Cchar}}
    input_count::Cint
    interrupt::Ptr{Cint}
    branches::Cint
end
struct rattle_controller
    struct_size::Csize_t
    every::Cdouble
    start::Cdouble
    count::Cint
    names::Ptr{Ptr{Cchar}}
    starts::Ptr{Cdouble}
end
struct rattle_switch
    struct_size::Csize_t
    name::Ptr{Cchar}
    constraints::Ptr{Ptr{Cchar}}
    count::Cint
    active::Cint
    begins::rattle_expr
    ends::rattle_expr
    restitution::Cdouble
    one_sided::Cint
    hold::Cint
    either::Cint
end
struct rattle_tableau
    stages::Cint
    A::Ptr{Cdouble}
    b::Ptr{Cdouble}
    Ahat::Ptr{Cdouble}
    bhat::Ptr{Cdouble}
    order::Cint
end
struct rattle_splitting
    stages::Cint
    c::Ptr{Cdouble}
    d::Ptr{Cdouble}
    order::Cint
end
struct rattle_coefficients
    name::Ptr{Cchar}
    kind::Ptr{Cchar}
    stages::Cint
    order::Cint
    symmetric::Cint
    symplectic::Cint
    explicit_::Cint
    partitioned::Cint
    separable_order::Cint
    separable_symplectic::Cint
    fails::Ptr{Cchar}
    reserved::NTuple{8,Cint}
end
struct rattle_pair_special
    kind::NTuple{2,Cint}
    epsilon::Cdouble
    sigma::Cdouble
end
struct rattle_pair_potential
    struct_size::Csize_t
    kind::Ptr{Cchar}
    epsilon::Cdouble
    sigma::Cdouble
    cutoff::Cdouble
    from::Cdouble
    smooth::Cint
    box::NTuple{3,Cdouble}
    beads::Clonglong
    pairs::Ptr{Cint}
    excluded::Clonglong
    exclusions::Ptr{Cint}
    kinds::Cint
    bead_kind::Ptr{Cint}
    epsilons::Ptr{Cdouble}
    sigmas::Ptr{Cdouble}
    mixing::Ptr{Cchar}
    specials::Cint
    special::Ptr{rattle_pair_special}
    scaled::Clonglong
    scaled_pairs::Ptr{Cint}
    scale::Cdouble
end
struct rattle_wishes
    struct_size::Csize_t
    method::Ptr{Cchar}
    step::Cdouble
    start_time::Cdouble
    stop::Cdouble
    steps::Clonglong
    every::Clonglong
    project::Cint
    compensated::Cint
    cotangent::Cint
    at::Ptr{Cdouble}
    at_count::Cint
    at_step::Cdouble
    exact::Cint
    certify::Cint
end
const rattle_problem_flag = Cuint
const rattle_evaluator = Cuint
struct rattle_problem_options
    struct_size::Csize_t
    evaluator::rattle_evaluator
    steps::Clonglong
end
struct rattle_callbacks
    struct_size::Csize_t
    n::Cint
    m::Cint
    context::Ptr{Cvoid}
    flags::Cint
    inverse_mass::Ptr{Cdouble}
    hamiltonian::Ptr{Cvoid}
    hamiltonian_hessian::Ptr{Cvoid}
    constraint::Ptr{Cvoid}
    constraint_hessian::Ptr{Cvoid}
    coordinate_names::Ptr{Ptr{Cchar}}
    constraint_names::Ptr{Ptr{Cchar}}
    force::Ptr{Cvoid}
    clock::Cint
    release::Ptr{Cvoid}
    coordinate_name_count::Cint
    constraint_name_count::Cint
end
struct rattle_equations
    struct_size::Csize_t
    n::Cint
    kind::Cint
    problem::Ptr{rattle_problem}
    gradient::Ptr{Cvoid}
    force::Ptr{Cvoid}
    velocity::Ptr{Cvoid}
end
struct rattle_base_map
    struct_size::Csize_t
    name::Ptr{Cchar}
    text::Ptr{Cchar}
    citation::Ptr{Cchar}
    formula::Ptr{Cchar}
    order::Cint
    symmetric::Cint
    symplectic::Cint
    explicit_::Cint
    needs::Cint
    create::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
    step::Ptr{Cvoid}
    tangent::Ptr{Cvoid}
end
struct rattle_cases_column
    name::Ptr{Cchar}
    width::Cint
end
struct rattle_cases_about
    struct_size::Csize_t
    title::Ptr{Cchar}
    model_file::Ptr{Cchar}
    model_text::Ptr{Cchar}
    plan::Ptr{Cchar}
    list::Ptr{Cchar}
    cases::Clonglong
    columns::Cint
    column::Ptr{rattle_cases_column}
    version::Ptr{Cchar}
    created::Ptr{Cchar}
end
struct rattle_claims
    order::Cint
    symmetric::Cint
    symplectic::Cint
    explicit_::Cint
    keeps_g::Cint
    keeps_psi::Cint
    pure::Cint
    stages::Cint
    keeps_energy::Cint
    proved::Cint
    reserved::NTuple{6,Cint}
end
const rattle_parameter_type = Cuint
const rattle_parameter_effect = Cuint
struct rattle_method_parameter
    name::Ptr{Cchar}
    var"type"::rattle_parameter_type
    option::Cint
    choices::Ptr{Cchar}
    fallback::Ptr{Cchar}
    minimum::Cdouble
    maximum::Cdouble
    otherwise::Ptr{Cchar}
    text::Ptr{Cchar}
    effect::rattle_parameter_effect
end
struct rattle_method_row
    name::Ptr{Cchar}
    kind::Ptr{Cchar}
    parameters::Ptr{Cchar}
    parameter::NTuple{13,rattle_method_parameter}
    claims::rattle_claims
    needs::Ptr{Cchar}
    citation::Ptr{Cchar}
    text::Ptr{Cchar}
    formula::Ptr{Cchar}
    reserved::NTuple{4,Ptr{Cvoid}}
end
struct rattle_state
    struct_size::Csize_t
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    t0::Cdouble
    h::Cdouble
    step::Clonglong
end
struct rattle_counts
    steps::Clonglong
    gradient::Clonglong
    hessian::Clonglong
    constraint::Clonglong
    jacobian::Clonglong
    factorisation::Clonglong
    newton_iterations::Clonglong
    position_projections::Clonglong
    momentum_projections::Clonglong
    followed::Clonglong
    proven::Clonglong
    tracked::Clonglong
    reserved::NTuple{4,Clonglong}
end
struct rattle_residuals
    g::Cdouble
    psi::Cdouble
    iteration_residual::Cdouble
    reserved::NTuple{5,Cdouble}
end
struct rattle_certificate
    struct_size::Csize_t
    steps::Clonglong
    substeps::Clonglong
    one_piece::Clonglong
    tracked::Clonglong
    open::Clonglong
    wrong::Clonglong
    pieces::Clonglong
    most_pieces::Clonglong
    radius::Cdouble
    units::Cdouble
    step::Clonglong
    substep::Cint
    is_wrong::Cint
    reached::Cdouble
    row::Cint
    margin::Cdouble
    singular_value::Cdouble
end
struct rattle_control
    struct_size::Csize_t
    sample::Ptr{Cvoid}
    self::Ptr{Cvoid}
end
struct rattle_doctor_options
    struct_size::Csize_t
    seed::UInt64
    samples::Cint
    no_trial::Cint
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    project::Cint
end
struct rattle_generation
    count::Cint
    name::Ptr{Ptr{Cchar}}
    expression::Ptr{Ptr{Cchar}}
end
struct rattle_refusal
    method::Ptr{Cchar}
    reason::Ptr{Cchar}
end
struct rattle_diagnosis
    title::Ptr{Cchar}
    kind::Ptr{Cchar}
    n::Cint
    m::Cint
    dof::Cdouble
    class_::Ptr{Cchar}
    index::Cint
    generations::Cint
    generation::Ptr{rattle_generation}
    redundants::Cint
    redundant::Ptr{Ptr{Cchar}}
    redundant_sentence::Ptr{Ptr{Cchar}}
    first_class_count::Cint
    second_class_count::Cint
    commuting::Cint
    pair::NTuple{2,Ptr{Cchar}}
    pair_expression::Ptr{Cchar}
    pair_value::Cdouble
    min_singular_value::Cdouble
    condition::Cdouble
    worst_singular_value::Cdouble
    worst_condition::Cdouble
    points::Cint
    degenerate_points::Cint
    start_is_degenerate::Cint
    on_constraints::Cint
    on_hidden::Cint
    residual_constraints::Cdouble
    residual_hidden::Cdouble
    fibre::Ptr{Cchar}
    valid_methods::Cint
    valid_method::Ptr{Ptr{Cchar}}
    refusals::Cint
    refusal::Ptr{rattle_refusal}
    advice_method::Ptr{Cchar}
    advice_why::Ptr{Cchar}
    advice_step::Cdouble
    frequency::Cdouble
    cost_gradients::Cdouble
    cost_newton_iterations::Cdouble
    cost_nanoseconds::Cdouble
    trial_energy_error::Cdouble
    symmetries::Cint
    symmetry::Ptr{Ptr{Cchar}}
    refused::Ptr{Cchar}
    note::Ptr{Cchar}
    velocity_constraints::Cint
end
struct rattle_drawing
    struct_size::Csize_t
    kind::Ptr{Cchar}
    at::NTuple{2,NTuple{3,rattle_expr}}
    axes::NTuple{9,rattle_expr}
    size::NTuple{3,Cdouble}
    colour::Ptr{Cchar}
    zero::rattle_expr
    over::NTuple{3,Cint}
end
struct rattle_sample
    step::Clonglong
    time::Cdouble
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    energy::Cdouble
    g::Ptr{Cdouble}
    psi::Ptr{Cdouble}
    multipliers::Ptr{Cdouble}
    observed::Ptr{Cdouble}
    state_q::Ptr{Cdouble}
    state_p::Ptr{Cdouble}
    extra::Ptr{Cdouble}
    extra_size::Cint
    energy_scale::Cdouble
    work::Cdouble
    fraction::Cdouble
    supplied::Cdouble
end
struct rattle_event
    struct_size::Csize_t
    name::Ptr{Cchar}
    value::Ptr{Cvoid}
    self::Ptr{Cvoid}
    direction::Cint
    count::Clonglong
    stop::Cint
    reserved::NTuple{2,Ptr{Cvoid}}
end
struct rattle_events
    struct_size::Csize_t
    event::Ptr{rattle_event}
    count::Cint
    times::Ptr{Cdouble}
    time_count::Cint
    time_step::Cdouble
    var"end"::Ptr{Cdouble}
    counts::Ptr{Clonglong}
    last::Ptr{Cdouble}
end
struct rattle_occurrence
    event::Cint
    name::Ptr{Cchar}
    number::Clonglong
    direction::Cint
    ends::Cint
    fraction::Cdouble
    sample::Ptr{rattle_sample}
end
struct rattle_summary
    struct_size::Csize_t
    steps::Clonglong
    step::Cdouble
    start::Cdouble
    stop::Cdouble
    shortest_step::Cdouble
    longest_step::Cdouble
    wall_seconds::Cdouble
    energy_initial::Cdouble
    energy_final::Cdouble
    energy_max_error::Cdouble
    energy_max_relative_error::Cdouble
    g_max::Cdouble
    g_final::Cdouble
    psi_max::Cdouble
    psi_final::Cdouble
    min_singular_value::Cdouble
    min_singular_time::Cdouble
    counts::rattle_counts
    status::rattle_status
    error::rattle_error
    energy_scale::Cdouble
    ended_by::Cint
    work::Cdouble
end
struct rattle_observer
    struct_size::Csize_t
    self::Ptr{Cvoid}
    var"begin"::Ptr{Cvoid}
    record::Ptr{Cvoid}
    var"end"::Ptr{Cvoid}
    progress::Ptr{Cvoid}
    event::Ptr{Cvoid}
end
struct rattle_extreme
    least::Cdouble
    least_time::Cdouble
    peak::Cdouble
    peak_time::Cdouble
    mean::Cdouble
end
struct rattle_run_options
    struct_size::Csize_t
    steps::Clonglong
    every::Clonglong
    initial_energy::Cdouble
    interrupt::Ptr{Cint}
    until::Ptr{Cdouble}
    events::Ptr{rattle_events}
    extremes::Ptr{rattle_extreme}
end
struct rattle_samples
    n::Cint
    m::Cint
    observables::Cint
    count::Clonglong
    step::Ptr{Clonglong}
    time::Ptr{Cdouble}
    energy::Ptr{Cdouble}
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    g::Ptr{Cdouble}
    psi::Ptr{Cdouble}
    multipliers::Ptr{Cdouble}
    observed::Ptr{Cdouble}
    name::Ptr{Cchar}
    direction::Ptr{Cint}
    work::Ptr{Cdouble}
end
struct rattle_case
    number::Clonglong
    problem::Ptr{rattle_problem}
    parameter::Ptr{rattle_parameter}
    parameters::Cint
    method::Ptr{Cchar}
    start::Cdouble
    step::Cdouble
    steps::Clonglong
    until::Ptr{Cdouble}
end
const rattle_keep = Cuint
struct rattle_errors
    energy_max_error::Cdouble
    g_max::Cdouble
    psi_max::Cdouble
    H::Cdouble
    work::Cdouble
    balance::Cdouble
end
struct rattle_chaos
    megno::Cdouble
    sali::Cdouble
    exponent::Cdouble
end
const rattle_wished = Cuint
struct rattle_outcome
    of::Ptr{rattle_case}
    problem::Ptr{rattle_problem}
    status::rattle_status
    error::Ptr{rattle_error}
    n::Cint
    q0::Ptr{Cdouble}
    p0::Ptr{Cdouble}
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    time::Cdouble
    steps::Clonglong
    summary::Ptr{rattle_summary}
    trajectory::Ptr{rattle_trajectory}
    observed::Ptr{Cdouble}
    chaos::Ptr{rattle_chaos}
    errors::Ptr{rattle_errors}
    extremes::Ptr{rattle_extreme}
end
struct rattle_ensemble_options
    struct_size::Csize_t
    cases::Clonglong
    threads::Cint
    keep::Cint
    every::Clonglong
    events::Ptr{rattle_events}
    method::Ptr{Cchar}
    start::Cdouble
    step::Cdouble
    steps::Clonglong
    until::Ptr{Cdouble}
    project::Cint
    trusted::Cint
    parse::Ptr{Cvoid}
    evaluator::rattle_evaluator
    describe::Ptr{Cvoid}
    var"begin"::Ptr{Cvoid}
    var"end"::Ptr{Cvoid}
    claim::Ptr{Cvoid}
    self::Ptr{Cvoid}
    interrupt::Ptr{Cint}
    progress::Ptr{Cvoid}
    lanes::Cint
    wished::Cint
    certify::Cint
end
struct rattle_equilibrium_options
    struct_size::Csize_t
    nearest::Cint
    interrupt::Ptr{Cint}
    modes::Cint
    steady::Ptr{rattle_parameter}
    steadies::Cint
end
struct rattle_equilibrium_result
    n::Cint
    m::Cint
    degrees::Cint
    q::Ptr{Cdouble}
    omitted::Cint
    multipliers::Ptr{Cdouble}
    energy::Cdouble
    residual::Cdouble
    iterations::Cint
    stable::Cint
    softest::Cdouble
    modes::Cint
    real::Ptr{Cdouble}
    imaginary::Ptr{Cdouble}
    shape::Ptr{Cdouble}
    shape_imaginary::Ptr{Cdouble}
    basis::Ptr{Cdouble}
    stiffness::Ptr{Cdouble}
    damping::Ptr{Cdouble}
    p::Ptr{Cdouble}
    places::Cint
end
const rattle_equilibria_event = Cuint
struct rattle_equilibria_options
    struct_size::Csize_t
    first::Ptr{rattle_equilibrium_options}
    parameter::Ptr{Cchar}
    to::Cdouble
    points::Cint
end
struct rattle_equilibria_point
    parameter::Cdouble
    arclength::Cdouble
    event::rattle_equilibria_event
    stable::Cint
    negative::Cint
    loads::Cint
    modes::Cint
    energy::Cdouble
    softest::Cdouble
    q::Ptr{Cdouble}
    multipliers::Ptr{Cdouble}
    real::Ptr{Cdouble}
    imaginary::Ptr{Cdouble}
    p::Ptr{Cdouble}
    reserved::NTuple{3,Cdouble}
end
struct rattle_fit_data
    struct_size::Csize_t
    name::Ptr{Cchar}
    count::Cint
    columns::Cint
    time::Ptr{Cdouble}
    column::Ptr{Ptr{Cchar}}
    value::Ptr{Cdouble}
    sigma::Ptr{Cdouble}
end
struct rattle_fit_parameter
    name::Ptr{Cchar}
    low::Cdouble
    high::Cdouble
end
struct rattle_fit_options
    struct_size::Csize_t
    method::Ptr{Cchar}
    step::Cdouble
    vary::Ptr{rattle_fit_parameter}
    vary_count::Cint
    vary_start::Ptr{Ptr{Cchar}}
    vary_start_count::Cint
    most_steps::Cint
    interrupt::Ptr{Cint}
end
struct rattle_fit_result
    quantities::Cint
    parameters::Cint
    name::Ptr{Ptr{Cchar}}
    value::Ptr{Cdouble}
    error::Ptr{Cdouble}
    covariance::Ptr{Cdouble}
    data::Cint
    unknowns::Cint
    weighted::Cint
    chi2::Cdouble
    reduction::Cdouble
    gradient::Cdouble
    steps::Cint
    trajectories::Cint
    ended::Cint
    undetermined::Ptr{Cchar}
end
struct rattle_objective
    struct_size::Csize_t
    add::Ptr{Cvoid}
    self::Ptr{Cvoid}
    every::Clonglong
end
const rattle_orbit_held = Cuint
struct rattle_orbit_options
    struct_size::Csize_t
    method::Ptr{Cchar}
    start_time::Cdouble
    period::Cdouble
    span::Cdouble
    step::Cdouble
    arcs::Cint
    held::rattle_orbit_held
    interrupt::Ptr{Cint}
end
struct rattle_orbit_result
    n::Cint
    d::Cint
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    period::Cdouble
    energy::Cdouble
    steps::Clonglong
    arcs::Cint
    iterations::Cint
    residual::Cdouble
    period_error::Cdouble
    start_error::Cdouble
    radius::Cdouble
    radius_error::Cdouble
    amplitude_q::Cdouble
    amplitude_p::Cdouble
    multipliers::Cint
    trivial::Cint
    real::Ptr{Cdouble}
    imaginary::Ptr{Cdouble}
    trivial_defect::Cdouble
    pairing_defect::Cdouble
    repeats::Cint
    verdict::Ptr{Cchar}
    why::Ptr{Cchar}
end
const rattle_family_along = Cuint
const rattle_family_event = Cuint
struct rattle_family_options
    struct_size::Csize_t
    orbit::Ptr{rattle_orbit_options}
    along::rattle_family_along
    to::Cdouble
    points::Cint
    parameter::Ptr{Cchar}
    parse::Ptr{Cvoid}
end
struct rattle_family_point
    arclength::Cdouble
    energy::Cdouble
    period::Cdouble
    radius::Cdouble
    event::rattle_family_event
    z::Ptr{Cdouble}
    real::Ptr{Cdouble}
    imaginary::Ptr{Cdouble}
    parameter::Cdouble
    reserved::NTuple{4,Cdouble}
end
struct rattle_plugin_observer
    struct_size::Csize_t
    name::Ptr{Cchar}
    text::Ptr{Cchar}
    create::Ptr{Cvoid}
    destroy::Ptr{Cvoid}
end
struct rattle_plugin
    struct_size::Csize_t
    name::Ptr{Cchar}
    version::Ptr{Cchar}
    maps::Cint
    observers::Cint
    map::Ptr{Ptr{rattle_base_map}}
    observer::Ptr{Ptr{rattle_plugin_observer}}
end
const rattle_plugin_function = Cvoid
struct rattle_record_options
    struct_size::Csize_t
    force::Cint
    method::Ptr{Cchar}
    step::Cdouble
    start_time::Cdouble
    stop::Cdouble
    steps::Clonglong
    every::Clonglong
    flush_seconds::Cdouble
    events::Ptr{rattle_events}
    interrupt::Ptr{Cint}
end
struct rattle_record_info
    title::Ptr{Cchar}
    method::Ptr{Cchar}
    kind::Ptr{Cchar}
    version::Ptr{Cchar}
    model_text::Ptr{Cchar}
    model_file::Ptr{Cchar}
    model_hash::Ptr{Cchar}
    created::Ptr{Cchar}
    n::Cint
    m::Cint
    observables::Cint
    samples::Clonglong
    steps_asked::Clonglong
    every::Clonglong
    last_step::Clonglong
    step::Cdouble
    start_time::Cdouble
    last_time::Cdouble
    initial_energy::Cdouble
    energy_max_error::Cdouble
    energy_max_relative_error::Cdouble
    g_max::Cdouble
    psi_max::Cdouble
    status_name::Ptr{Cchar}
    message::Ptr{Cchar}
    closed::Cint
    coordinate_names::Ptr{Ptr{Cchar}}
    momentum_names::Ptr{Ptr{Cchar}}
    constraint_names::Ptr{Ptr{Cchar}}
    observable_names::Ptr{Ptr{Cchar}}
    parameters::Cint
    parameter::Ptr{rattle_parameter}
    status::rattle_status
    solver::Ptr{Cchar}
    evaluator::Ptr{Cchar}
    wall_seconds::Cdouble
    min_singular_value::Cdouble
    min_singular_time::Cdouble
    counts::rattle_counts
    stop_asked::Cdouble
    adapts::Cint
    written::Cint
    plugin::Ptr{Cchar}
    events::Cint
    event_names::Ptr{Ptr{Cchar}}
    events_so_far::Ptr{rattle_events}
    unit_length::Ptr{Cchar}
    unit_time::Ptr{Cchar}
    unit_energy::Ptr{Cchar}
    unit_position::Ptr{Cchar}
    unit_momentum::Ptr{Cchar}
    has_work::Cint
    warnings::Cint
    warning_texts::Ptr{Ptr{Cchar}}
end
const rattle_quantity = Cuint
struct rattle_column
    quantity::rattle_quantity
    index::Cint
end
struct rattle_record_export
    struct_size::Csize_t
    force::Cint
    format::Ptr{Cchar}
    length::Ptr{Cchar}
    time::Ptr{Cchar}
    box::NTuple{3,Cdouble}
    bonds::Clonglong
    bond::Ptr{Cint}
end
struct rattle_chain_options
    struct_size::Csize_t
    method::Ptr{Cchar}
    step::Cdouble
    seed::UInt64
    chain::Clonglong
    warmup::Clonglong
    acceptance::Cdouble
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    spread::Clonglong
    parts::Ptr{Cdouble}
    part_count::Cint
end
struct rattle_chain_counts
    transitions::Clonglong
    accepted::Clonglong
    energy::Clonglong
    unsolved::Clonglong
    not_reversible::Clonglong
    domain::Clonglong
    reserved::NTuple{4,Clonglong}
end
struct rattle_estimate
    mean::Cdouble
    sd::Cdouble
    error::Cdouble
    effective::Cdouble
    rhat::Cdouble
    reserved::NTuple{3,Cdouble}
end
struct rattle_draws
    x::Ptr{Cdouble}
    chains::Clonglong
    draws::Clonglong
    chain_stride::Clonglong
    stride::Clonglong
end
struct rattle_sampling_result
    method::Ptr{Cchar}
    chains::Cint
    columns::Cint
    draws::Clonglong
    column::Ptr{Ptr{Cchar}}
    value::Ptr{Cdouble}
    estimate::Ptr{rattle_estimate}
    counts::Ptr{rattle_chain_counts}
    step::Ptr{Cdouble}
    temperature::Cdouble
    energy::Ptr{Cdouble}
    acceptance::Ptr{Cdouble}
    fate::Ptr{Cint}
    at_floor::Ptr{Cint}
    off::Ptr{Cchar}
    first_step::Ptr{Cdouble}
end
struct rattle_sampling_draw
    chain::Cint
    number::Clonglong
    value::Ptr{Cdouble}
    state::Ptr{Cdouble}
    counts::rattle_chain_counts
    step::Cdouble
    energy::Cdouble
    acceptance::Cdouble
end
struct rattle_sampling_record
    struct_size::Csize_t
    var"begin"::Ptr{Cvoid}
    known::Ptr{Cvoid}
    drawn::Ptr{Cvoid}
    self::Ptr{Cvoid}
end
struct rattle_sampling_options
    struct_size::Csize_t
    chain::Ptr{rattle_chain_options}
    chains::Cint
    draws::Clonglong
    every::Clonglong
    multipliers::Cint
    threads::Cint
    interrupt::Ptr{Cint}
    starts::Ptr{Cdouble}
    record::Ptr{rattle_sampling_record}
    lanes::Cint
end
struct rattle_sites_list
    struct_size::Csize_t
    atoms::Clonglong
    sites::Clonglong
    site::Ptr{Cint}
    first::Ptr{Clonglong}
    parent::Ptr{Cint}
    weights::Ptr{Cdouble}
    lengths::Ptr{Cdouble}
end
struct rattle_site_kind
    name::Ptr{Cchar}
    parents::Cint
    numbers::Cint
    section::Cint
    var"function"::Cint
    text::Ptr{Cchar}
end
const rattle_study_kind = Cuint
const rattle_study_quantity = Cuint
const rattle_study_window = Cuint
struct rattle_study_progress
    stage::Ptr{Cchar}
    runs::Clonglong
    runs_most::Clonglong
    maps::Cdouble
    seconds::Cdouble
end
struct rattle_study_options
    struct_size::Csize_t
    method::Ptr{Ptr{Cchar}}
    methods::Cint
    reference::Ptr{Cchar}
    q::Ptr{Cdouble}
    p::Ptr{Cdouble}
    error::Cdouble
    project::Cint
    start::Cdouble
    stop::Cdouble
    quantity::rattle_study_quantity
    step::Cdouble
    every::Clonglong
    spectrum::Ptr{Ptr{Cchar}}
    spectra::Cint
    window::rattle_study_window
    effort::Cdouble
    threads::Cint
    interrupt::Ptr{Cint}
    progress::Ptr{Cvoid}
    self::Ptr{Cvoid}
    period::Cdouble
    arcs::Cint
    held::rattle_orbit_held
    along::rattle_family_along
    to::Cdouble
    points::Cint
    parameter::Ptr{Cchar}
    nearest::Cint
    lowest::Cint
    steady::Ptr{rattle_parameter}
    steadies::Cint
end
struct rattle_study_table
    name::Ptr{Cchar}
    rows::Cint
    columns::Cint
    column::Ptr{Ptr{Cchar}}
    value::Ptr{Cdouble}
    bulk::Cint
end
struct rattle_study_fit
    name::Ptr{Cchar}
    slope::Cdouble
    uncertainty::Cdouble
    low::Cdouble
    high::Cdouble
    points::Cint
end
struct rattle_study_figure
    name::Ptr{Cchar}
    value::Cdouble
end
struct rattle_study_method
    method::Ptr{Cchar}
    claims::rattle_claims
    status::rattle_status
    message::Ptr{Cchar}
    verdict::Ptr{Cchar}
    why::Ptr{Cchar}
    figures::Cint
    fits::Cint
    tables::Cint
    figure::Ptr{rattle_study_figure}
    fit::Ptr{rattle_study_fit}
    table::Ptr{rattle_study_table}
    reserved::NTuple{4,Ptr{Cvoid}}
end
struct rattle_study_reference
    method::Ptr{Cchar}
    step::Cdouble
    steps::Clonglong
    error::Cdouble
    scale_q::Cdouble
    scale_p::Cdouble
    scale_energy::Cdouble
    reserved::NTuple{4,Cdouble}
end
struct rattle_study_result
    kind::rattle_study_kind
    kind_name::Ptr{Cchar}
    title::Ptr{Cchar}
    model_file::Ptr{Cchar}
    model_text::Ptr{Cchar}
    problem::Ptr{Cchar}
    evaluator::Ptr{Cchar}
    version::Ptr{Cchar}
    created::Ptr{Cchar}
    n::Cint
    m::Cint
    parameters::Cint
    parameter::Ptr{rattle_parameter}
    start::Cdouble
    stop::Cdouble
    frequency::Cdouble
    reference::rattle_study_reference
    methods::Cint
    method::Ptr{rattle_study_method}
    figures::Cint
    figure::Ptr{rattle_study_figure}
    tables::Cint
    table::Ptr{rattle_study_table}
    verdict::Ptr{Cchar}
    why::Ptr{Cchar}
    status::rattle_status
    note::Ptr{Cchar}
end
struct rattle_verify_options
    struct_size::Csize_t
    interrupt::Ptr{Cint}
    progress::Ptr{Cvoid}
    self::Ptr{Cvoid}
end
struct rattle_verdict
    method::Ptr{Cchar}
    problem::Ptr{Cchar}
    claim::Ptr{Cchar}
    claimed::Cdouble
    measured::Cdouble
    bound::Cdouble
    holds::Cint
end
struct rattle_verification_result
    verdicts::Cint
    refuted::Cint
    verdict::Ptr{rattle_verdict}
    methods::Cint
    problems::Cint
    refusals::Cint
    note::Ptr{Cchar}
end

const RATTLE_OK = rattle_status(0)
const RATTLE_NO_MEMORY = rattle_status(1)
const RATTLE_BAD_ARGUMENT = rattle_status(2)
const RATTLE_BAD_METHOD = rattle_status(3)
const RATTLE_UNSUITABLE = rattle_status(4)
const RATTLE_BAD_MODEL = rattle_status(5)
const RATTLE_OFF_CONSTRAINTS = rattle_status(6)
const RATTLE_NOT_REGULAR = rattle_status(7)
const RATTLE_NOT_CONVERGED = rattle_status(8)
const RATTLE_SINGULAR = rattle_status(9)
const RATTLE_DOMAIN = rattle_status(10)
const RATTLE_CALLBACK = rattle_status(11)
const RATTLE_INTERRUPTED = rattle_status(12)
const RATTLE_IO = rattle_status(13)
const RATTLE_EXISTS = rattle_status(14)
const RATTLE_BAD_RECORD = rattle_status(15)
const RATTLE_NEWER_RECORD = rattle_status(16)
const RATTLE_DEGENERATE = rattle_status(17)
const RATTLE_STATUS_COUNT = rattle_status(18)
const RATTLE_OP_CONSTANT = rattle_op(0)
const RATTLE_OP_VARIABLE = rattle_op(1)
const RATTLE_OP_ADD = rattle_op(2)
const RATTLE_OP_SUB = rattle_op(3)
const RATTLE_OP_MUL = rattle_op(4)
const RATTLE_OP_DIV = rattle_op(5)
const RATTLE_OP_POW = rattle_op(6)
const RATTLE_OP_POWI = rattle_op(7)
const RATTLE_OP_ATAN2 = rattle_op(8)
const RATTLE_OP_LT = rattle_op(9)
const RATTLE_OP_WHEN = rattle_op(10)
const RATTLE_OP_MIN = rattle_op(11)
const RATTLE_OP_MAX = rattle_op(12)
const RATTLE_OP_ATLEAST = rattle_op(13)
const RATTLE_OP_ATMOST = rattle_op(14)
const RATTLE_OP_NEG = rattle_op(15)
const RATTLE_OP_SQRT = rattle_op(16)
const RATTLE_OP_EXP = rattle_op(17)
const RATTLE_OP_LOG = rattle_op(18)
const RATTLE_OP_SIN = rattle_op(19)
const RATTLE_OP_COS = rattle_op(20)
const RATTLE_OP_TAN = rattle_op(21)
const RATTLE_OP_ASIN = rattle_op(22)
const RATTLE_OP_ACOS = rattle_op(23)
const RATTLE_OP_ATAN = rattle_op(24)
const RATTLE_OP_SINH = rattle_op(25)
const RATTLE_OP_COSH = rattle_op(26)
const RATTLE_OP_TANH = rattle_op(27)
const RATTLE_OP_EXPM1 = rattle_op(28)
const RATTLE_OP_LOG1P = rattle_op(29)
const RATTLE_OP_ERF = rattle_op(30)
const RATTLE_OP_ERFC = rattle_op(31)
const RATTLE_OP_ABS = rattle_op(32)
const RATTLE_OP_SIGN = rattle_op(33)
const RATTLE_OP_HELD = rattle_op(34)
const RATTLE_OP_COUNT = rattle_op(35)
const RATTLE_VELOCITY = Cint(1073741824)
const RATTLE_SWITCH_ON = Cint(0)
const RATTLE_SWITCH_LOST = Cint(1)
const RATTLE_SWITCH_SIDE = Cint(2)
const RATTLE_SWITCH_VALUES = Cint(3)
const RATTLE_LAMBDA = Cint(1610612736)
const RATTLE_SEPARABLE = rattle_problem_flag(1)
const RATTLE_NATURAL = rattle_problem_flag(2)
const RATTLE_HOLONOMIC = rattle_problem_flag(4)
const RATTLE_QUADRATIC_G = rattle_problem_flag(8)
const RATTLE_MOMENTUM_G = rattle_problem_flag(16)
const RATTLE_QUADRATIC_H = rattle_problem_flag(32)
const RATTLE_SECOND_CLASS = rattle_problem_flag(64)
const RATTLE_FORCED = rattle_problem_flag(128)
const RATTLE_DIRAC = rattle_problem_flag(256)
const RATTLE_VAKONOMIC = rattle_problem_flag(256)
const RATTLE_EVALUATOR_AUTO = rattle_evaluator(0)
const RATTLE_EVALUATOR_BLOCK = rattle_evaluator(1)
const RATTLE_EVALUATOR_NATIVE = rattle_evaluator(2)
const RATTLE_TAKES_MAP = rattle_parameter_type(0)
const RATTLE_TAKES_WORD = rattle_parameter_type(1)
const RATTLE_TAKES_INTEGER = rattle_parameter_type(2)
const RATTLE_TAKES_NUMBER = rattle_parameter_type(3)
const RATTLE_TAKES_FIELD = rattle_parameter_type(4)
const RATTLE_TAKES_NAME = rattle_parameter_type(5)
const RATTLE_TAKES_SOLVER = rattle_parameter_type(6)
const RATTLE_NO_EFFECT = rattle_parameter_effect(0)
const RATTLE_LOOSENS = rattle_parameter_effect(1)
const RATTLE_DIVIDES = rattle_parameter_effect(2)
const RATTLE_REMEMBERS = rattle_parameter_effect(3)
const RATTLE_KEEP_SUMMARY = rattle_keep(1)
const RATTLE_KEEP_EVENTS = rattle_keep(2)
const RATTLE_KEEP_SAMPLES = rattle_keep(4)
const RATTLE_KEEP_OBSERVABLES = rattle_keep(8)
const RATTLE_KEEP_CHAOS = rattle_keep(16)
const RATTLE_KEEP_ERRORS = rattle_keep(32)
const RATTLE_KEEP_EXTREMES = rattle_keep(64)
const RATTLE_WISHED_METHOD = rattle_wished(1)
const RATTLE_WISHED_STEP = rattle_wished(2)
const RATTLE_WISHED_TIMES = rattle_wished(4)
const RATTLE_EQUILIBRIUM_GYROSCOPIC = Cint(2)
const RATTLE_EQUILIBRIA_NONE = rattle_equilibria_event(0)
const RATTLE_EQUILIBRIA_END = rattle_equilibria_event(1)
const RATTLE_EQUILIBRIA_FOLD = rattle_equilibria_event(2)
const RATTLE_EQUILIBRIA_BRANCH = rattle_equilibria_event(3)
const RATTLE_EQUILIBRIA_FLUTTER = rattle_equilibria_event(4)
const RATTLE_FIT_AT_ROUND_OFF = Cint(0)
const RATTLE_FIT_NO_LOWER = Cint(1)
const RATTLE_FIT_MOST_STEPS = Cint(2)
const RATTLE_ORBIT_HOLD_DEFAULT = rattle_orbit_held(0)
const RATTLE_ORBIT_HOLD_ENERGY = rattle_orbit_held(1)
const RATTLE_ORBIT_HOLD_PERIOD = rattle_orbit_held(2)
const RATTLE_ORBIT_HOLD_NOTHING = rattle_orbit_held(3)
const RATTLE_FAMILY_ENERGY = rattle_family_along(0)
const RATTLE_FAMILY_PERIOD = rattle_family_along(1)
const RATTLE_FAMILY_PARAMETER = rattle_family_along(2)
const RATTLE_FAMILY_NONE = rattle_family_event(0)
const RATTLE_FAMILY_END = rattle_family_event(1)
const RATTLE_FAMILY_FOLD_ENERGY = rattle_family_event(2)
const RATTLE_FAMILY_FOLD_PERIOD = rattle_family_event(3)
const RATTLE_FAMILY_BRANCH = rattle_family_event(4)
const RATTLE_FAMILY_DOUBLING = rattle_family_event(5)
const RATTLE_FAMILY_COLLISION = rattle_family_event(6)
const RATTLE_FAMILY_FOLD_PARAMETER = rattle_family_event(7)
const RATTLE_FAMILY_TORUS = rattle_family_event(8)
const RATTLE_STEP_NUMBER = rattle_quantity(0)
const RATTLE_TIME = rattle_quantity(1)
const RATTLE_ENERGY = rattle_quantity(2)
const RATTLE_CONSTRAINT = rattle_quantity(3)
const RATTLE_HIDDEN = rattle_quantity(4)
const RATTLE_MULTIPLIER = rattle_quantity(5)
const RATTLE_COORDINATE = rattle_quantity(6)
const RATTLE_MOMENTUM = rattle_quantity(7)
const RATTLE_OBSERVABLE = rattle_quantity(8)
const RATTLE_DIRECTION = rattle_quantity(9)
const RATTLE_WORK = rattle_quantity(10)
const RATTLE_HAMILTONIAN = rattle_quantity(11)
const RATTLE_STUDY_ORDER = rattle_study_kind(0)
const RATTLE_STUDY_DRIFT = rattle_study_kind(1)
const RATTLE_STUDY_WORK = rattle_study_kind(2)
const RATTLE_STUDY_COMPARE = rattle_study_kind(3)
const RATTLE_STUDY_ADVISE = rattle_study_kind(4)
const RATTLE_STUDY_LYAPUNOV = rattle_study_kind(5)
const RATTLE_STUDY_ORBIT = rattle_study_kind(6)
const RATTLE_STUDY_FAMILY = rattle_study_kind(7)
const RATTLE_STUDY_EQUILIBRIUM = rattle_study_kind(8)
const RATTLE_STUDY_MODES = rattle_study_kind(9)
const RATTLE_STUDY_SOLUTION = rattle_study_quantity(0)
const RATTLE_STUDY_ENERGY = rattle_study_quantity(1)
const RATTLE_STUDY_HANN = rattle_study_window(0)
const RATTLE_STUDY_NO_WINDOW = rattle_study_window(1)
const RATTLE_ORDER_EXACT = 1000
const RATTLE_CHAIN_FATE_COUNT = 5
const RATTLE_EFFECTIVE_LIMIT = 100
const RATTLE_VERSION_MAJOR = 0
const RATTLE_VERSION_MINOR = 2
const RATTLE_VERSION_PATCH = 0

rattle_status_name(status) =
    ccall((:rattle_status_name, library), Ptr{Cchar}, (rattle_status,), status)
rattle_status_text(status) =
    ccall((:rattle_status_text, library), Ptr{Cchar}, (rattle_status,), status)
rattle_status_remedy(status) =
    ccall((:rattle_status_remedy, library), Ptr{Cchar}, (rattle_status,), status)
rattle_status_exit(status) =
    ccall((:rattle_status_exit, library), Cint, (rattle_status,), status)
rattle_version() =
    ccall((:rattle_version, library), Ptr{Cchar}, ())
rattle_abi() =
    ccall((:rattle_abi, library), Cint, ())
rattle_interrupt(interrupt) =
    ccall((:rattle_interrupt, library), Cvoid, (Ptr{Cint},), interrupt)
rattle_bonds_solver_of(index) =
    ccall((:rattle_bonds_solver_of, library), Ptr{rattle_bonds_solver}, (Cint,), index)
rattle_bonds_create(bonds, topology, options, error) =
    ccall((:rattle_bonds_create, library), rattle_status, (Ptr{Ptr{rattle_bonds}}, Ptr{rattle_bonds_topology}, Ptr{rattle_bonds_options}, Ptr{rattle_error},), bonds, topology, options, error)
rattle_bonds_destroy(bonds) =
    ccall((:rattle_bonds_destroy, library), Cvoid, (Ptr{Ptr{rattle_bonds}},), bonds)
rattle_bonds_repeated(bonds, count) =
    ccall((:rattle_bonds_repeated, library), Ptr{Cint}, (Ptr{rattle_bonds}, Ptr{Clonglong},), bonds, count)
rattle_bonds_chosen(bonds, solver) =
    ccall((:rattle_bonds_chosen, library), Cvoid, (Ptr{rattle_bonds}, Ptr{Cint},), bonds, solver)
rattle_bonds_summarise(bonds, summary, error) =
    ccall((:rattle_bonds_summarise, library), rattle_status, (Ptr{rattle_bonds}, Ptr{rattle_bonds_summary}, Ptr{rattle_error},), bonds, summary, error)
rattle_bonds_positions(bonds, x0, x, v, h, box, error) =
    ccall((:rattle_bonds_positions, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Cdouble, Ptr{rattle_bonds_box}, Ptr{rattle_error},), bonds, x0, x, v, h, box, error)
rattle_bonds_velocities(bonds, x, v, box, error) =
    ccall((:rattle_bonds_velocities, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_bonds_box}, Ptr{rattle_error},), bonds, x, v, box, error)
rattle_bonds_velocities_ahead(bonds, x, v, half, box, error) =
    ccall((:rattle_bonds_velocities_ahead, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_bonds_half_step}, Ptr{rattle_bonds_box}, Ptr{rattle_error},), bonds, x, v, half, box, error)
rattle_bonds_positions_out(bonds, x0, x, v, h, box, outputs, error) =
    ccall((:rattle_bonds_positions_out, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Cdouble, Ptr{rattle_bonds_box}, Ptr{rattle_bonds_outputs}, Ptr{rattle_error},), bonds, x0, x, v, h, box, outputs, error)
rattle_bonds_velocities_out(bonds, x, v, box, outputs, error) =
    ccall((:rattle_bonds_velocities_out, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_bonds_box}, Ptr{rattle_bonds_outputs}, Ptr{rattle_error},), bonds, x, v, box, outputs, error)
rattle_bonds_positions_float(bonds, x0, x, v, h, box, outputs, error) =
    ccall((:rattle_bonds_positions_float, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cfloat}, Ptr{Cfloat}, Ptr{Cfloat}, Cdouble, Ptr{rattle_bonds_box}, Ptr{rattle_bonds_outputs}, Ptr{rattle_error},), bonds, x0, x, v, h, box, outputs, error)
rattle_bonds_velocities_float(bonds, x, v, box, outputs, error) =
    ccall((:rattle_bonds_velocities_float, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cfloat}, Ptr{Cfloat}, Ptr{rattle_bonds_box}, Ptr{rattle_bonds_outputs}, Ptr{rattle_error},), bonds, x, v, box, outputs, error)
rattle_bonds_taken(bonds, taken) =
    ccall((:rattle_bonds_taken, library), Cvoid, (Ptr{rattle_bonds}, Ptr{Cdouble},), bonds, taken)
rattle_bonds_removed(bonds, group, groups, removed, error) =
    ccall((:rattle_bonds_removed, library), rattle_status, (Ptr{rattle_bonds}, Ptr{Cint}, Cint, Ptr{Cdouble}, Ptr{rattle_error},), bonds, group, groups, removed, error)
rattle_bonds_rule_of(index) =
    ccall((:rattle_bonds_rule_of, library), Ptr{rattle_bonds_rule}, (Cint,), index)
rattle_bonds_repartition(rule, value, topology, hydrogen, masses, error) =
    ccall((:rattle_bonds_repartition, library), rattle_status, (Cstring, Cdouble, Ptr{rattle_bonds_topology}, Cstring, Ptr{Cdouble}, Ptr{rattle_error},), rule, value, topology, hydrogen, masses, error)
rattle_graph_create(graph, error) =
    ccall((:rattle_graph_create, library), rattle_status, (Ptr{Ptr{rattle_graph}}, Ptr{rattle_error},), graph, error)
rattle_graph_destroy(graph) =
    ccall((:rattle_graph_destroy, library), Cvoid, (Ptr{Ptr{rattle_graph}},), graph)
rattle_expr_constant(graph, value) =
    ccall((:rattle_expr_constant, library), rattle_expr, (Ptr{rattle_graph}, Cdouble,), graph, value)
rattle_expr_variable(graph, index) =
    ccall((:rattle_expr_variable, library), rattle_expr, (Ptr{rattle_graph}, Int32,), graph, index)
rattle_expr_unary(graph, op, a) =
    ccall((:rattle_expr_unary, library), rattle_expr, (Ptr{rattle_graph}, rattle_op, rattle_expr,), graph, op, a)
rattle_expr_binary(graph, op, a, b) =
    ccall((:rattle_expr_binary, library), rattle_expr, (Ptr{rattle_graph}, rattle_op, rattle_expr, rattle_expr,), graph, op, a, b)
rattle_expr_where(graph, condition, a, b) =
    ccall((:rattle_expr_where, library), rattle_expr, (Ptr{rattle_graph}, rattle_expr, rattle_expr, rattle_expr,), graph, condition, a, b)
rattle_expr_table(graph, e, count, x, y, error) =
    ccall((:rattle_expr_table, library), rattle_expr, (Ptr{rattle_graph}, rattle_expr, Cint, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), graph, e, count, x, y, error)
rattle_expr_op(graph, e) =
    ccall((:rattle_expr_op, library), rattle_op, (Ptr{rattle_graph}, rattle_expr,), graph, e)
rattle_expr_operand(graph, e, which) =
    ccall((:rattle_expr_operand, library), rattle_expr, (Ptr{rattle_graph}, rattle_expr, Cint,), graph, e, which)
rattle_expr_value(graph, e) =
    ccall((:rattle_expr_value, library), Cdouble, (Ptr{rattle_graph}, rattle_expr,), graph, e)
rattle_expr_index(graph, e) =
    ccall((:rattle_expr_index, library), Int32, (Ptr{rattle_graph}, rattle_expr,), graph, e)
rattle_graph_count(graph) =
    ccall((:rattle_graph_count, library), UInt32, (Ptr{rattle_graph},), graph)
rattle_expr_derivative(graph, e, index) =
    ccall((:rattle_expr_derivative, library), rattle_expr, (Ptr{rattle_graph}, rattle_expr, Int32,), graph, e, index)
rattle_expr_evaluate(graph, e, x) =
    ccall((:rattle_expr_evaluate, library), Cdouble, (Ptr{rattle_graph}, rattle_expr, Ptr{Cdouble},), graph, e, x)
rattle_expr_print(graph, e, name, context, buffer, size) =
    ccall((:rattle_expr_print, library), Ptr{Cchar}, (Ptr{rattle_graph}, rattle_expr, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cchar}, Csize_t,), graph, e, name, context, buffer, size)
rattle_model_load(model, path, options, error) =
    ccall((:rattle_model_load, library), rattle_status, (Ptr{Ptr{rattle_model}}, Cstring, Ptr{rattle_model_options}, Ptr{rattle_error},), model, path, options, error)
rattle_model_parse(model, text, name, options, error) =
    ccall((:rattle_model_parse, library), rattle_status, (Ptr{Ptr{rattle_model}}, Cstring, Cstring, Ptr{rattle_model_options}, Ptr{rattle_error},), model, text, name, options, error)
rattle_model_create(model, error) =
    ccall((:rattle_model_create, library), rattle_status, (Ptr{Ptr{rattle_model}}, Ptr{rattle_error},), model, error)
rattle_model_destroy(model) =
    ccall((:rattle_model_destroy, library), Cvoid, (Ptr{Ptr{rattle_model}},), model)
rattle_model_retain(model) =
    ccall((:rattle_model_retain, library), Ptr{rattle_model}, (Ptr{rattle_model},), model)
rattle_model_graph(model) =
    ccall((:rattle_model_graph, library), Ptr{rattle_graph}, (Ptr{rattle_model},), model)
rattle_model_add_pair(model, name, momentum, pair, error) =
    ccall((:rattle_model_add_pair, library), rattle_status, (Ptr{rattle_model}, Cstring, Cstring, Ptr{Cint}, Ptr{rattle_error},), model, name, momentum, pair, error)
rattle_model_add_free(model, name, pair, error) =
    ccall((:rattle_model_add_free, library), rattle_status, (Ptr{rattle_model}, Cstring, Ptr{Cint}, Ptr{rattle_error},), model, name, pair, error)
rattle_model_time(model, t, error) =
    ccall((:rattle_model_time, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_expr}, Ptr{rattle_error},), model, t, error)
rattle_model_clock(model) =
    ccall((:rattle_model_clock, library), Cint, (Ptr{rattle_model},), model)
rattle_model_turning_angle(model, y, x, angle, error) =
    ccall((:rattle_model_turning_angle, library), rattle_status, (Ptr{rattle_model}, rattle_expr, rattle_expr, Ptr{rattle_expr}, Ptr{rattle_error},), model, y, x, angle, error)
rattle_model_count_turns(model, pair, angle, error) =
    ccall((:rattle_model_count_turns, library), rattle_status, (Ptr{rattle_model}, Cint, rattle_expr, Ptr{rattle_error},), model, pair, angle, error)
rattle_model_add_hamiltonian(model, e, error) =
    ccall((:rattle_model_add_hamiltonian, library), rattle_status, (Ptr{rattle_model}, rattle_expr, Ptr{rattle_error},), model, e, error)
rattle_model_add_force(model, pair, e, error) =
    ccall((:rattle_model_add_force, library), rattle_status, (Ptr{rattle_model}, Cint, rattle_expr, Ptr{rattle_error},), model, pair, e, error)
rattle_model_add_constraint(model, name, e, error) =
    ccall((:rattle_model_add_constraint, library), rattle_status, (Ptr{rattle_model}, Cstring, rattle_expr, Ptr{rattle_error},), model, name, e, error)
rattle_model_set_dirac(model, constraint, error) =
    ccall((:rattle_model_set_dirac, library), rattle_status, (Ptr{rattle_model}, Cint, Ptr{rattle_error},), model, constraint, error)
rattle_model_set_vakonomic(model, constraint, error) =
    ccall((:rattle_model_set_vakonomic, library), rattle_status, (Ptr{rattle_model}, Cint, Ptr{rattle_error},), model, constraint, error)
rattle_model_velocity(model, pair, velocity, error) =
    ccall((:rattle_model_velocity, library), rattle_status, (Ptr{rattle_model}, Cint, Ptr{rattle_expr}, Ptr{rattle_error},), model, pair, velocity, error)
rattle_model_add_velocity_constraint(model, name, e, error) =
    ccall((:rattle_model_add_velocity_constraint, library), rattle_status, (Ptr{rattle_model}, Cstring, rattle_expr, Ptr{rattle_error},), model, name, e, error)
rattle_model_add_controller(model, controller, values, number, error) =
    ccall((:rattle_model_add_controller, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_controller}, Ptr{rattle_expr}, Ptr{Cint}, Ptr{rattle_error},), model, controller, values, number, error)
rattle_model_set_sample(model, controller, next, error) =
    ccall((:rattle_model_set_sample, library), rattle_status, (Ptr{rattle_model}, Cint, Ptr{rattle_expr}, Ptr{rattle_error},), model, controller, next, error)
rattle_model_controllers(model) =
    ccall((:rattle_model_controllers, library), Cint, (Ptr{rattle_model},), model)
rattle_model_add_switch(model, given, value, error) =
    ccall((:rattle_model_add_switch, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_switch}, Ptr{rattle_expr}, Ptr{rattle_error},), model, given, value, error)
rattle_model_switches(model) =
    ccall((:rattle_model_switches, library), Cint, (Ptr{rattle_model},), model)
rattle_model_multiplier(model, constraint, multiplier, error) =
    ccall((:rattle_model_multiplier, library), rattle_status, (Ptr{rattle_model}, Cstring, Ptr{rattle_expr}, Ptr{rattle_error},), model, constraint, multiplier, error)
rattle_model_add_observable(model, name, e, error) =
    ccall((:rattle_model_add_observable, library), rattle_status, (Ptr{rattle_model}, Cstring, rattle_expr, Ptr{rattle_error},), model, name, e, error)
rattle_model_observe_cotangent(model, error) =
    ccall((:rattle_model_observe_cotangent, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_error},), model, error)
rattle_model_add_event(model, name, e, direction, count, stop, error) =
    ccall((:rattle_model_add_event, library), rattle_status, (Ptr{rattle_model}, Cstring, rattle_expr, Cint, Clonglong, Cint, Ptr{rattle_error},), model, name, e, direction, count, stop, error)
rattle_model_omit_redundant(model, error) =
    ccall((:rattle_model_omit_redundant, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_error},), model, error)
rattle_model_eliminate_massless(model, error) =
    ccall((:rattle_model_eliminate_massless, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_error},), model, error)
rattle_model_omitted(model, i) =
    ccall((:rattle_model_omitted, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, i)
rattle_model_set_start(model, pair, q, p, error) =
    ccall((:rattle_model_set_start, library), rattle_status, (Ptr{rattle_model}, Cint, Cdouble, Cdouble, Ptr{rattle_error},), model, pair, q, p, error)
rattle_model_set_velocity(model, pair, velocity, error) =
    ccall((:rattle_model_set_velocity, library), rattle_status, (Ptr{rattle_model}, Cint, Cdouble, Ptr{rattle_error},), model, pair, velocity, error)
rattle_model_start_variable(model, name, value, error) =
    ccall((:rattle_model_start_variable, library), rattle_status, (Ptr{rattle_model}, Cstring, Cdouble, Ptr{rattle_error},), model, name, value, error)
rattle_model_set_fibre(model, image, error) =
    ccall((:rattle_model_set_fibre, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_expr}, Ptr{rattle_error},), model, image, error)
rattle_model_set_flow(model, image, error) =
    ccall((:rattle_model_set_flow, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_expr}, Ptr{rattle_error},), model, image, error)
rattle_model_add_tableau(model, name, tableau, error) =
    ccall((:rattle_model_add_tableau, library), rattle_status, (Ptr{rattle_model}, Cstring, Ptr{rattle_tableau}, Ptr{rattle_error},), model, name, tableau, error)
rattle_model_add_splitting(model, name, splitting, error) =
    ccall((:rattle_model_add_splitting, library), rattle_status, (Ptr{rattle_model}, Cstring, Ptr{rattle_splitting}, Ptr{rattle_error},), model, name, splitting, error)
rattle_model_coefficients(model, i, set) =
    ccall((:rattle_model_coefficients, library), Cint, (Ptr{rattle_model}, Cint, Ptr{rattle_coefficients},), model, i, set)
rattle_model_add_pair_potential(model, potential, error) =
    ccall((:rattle_model_add_pair_potential, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_pair_potential}, Ptr{rattle_error},), model, potential, error)
rattle_model_pair_potentials(model) =
    ccall((:rattle_model_pair_potentials, library), Cint, (Ptr{rattle_model},), model)
rattle_model_smoothness(model) =
    ccall((:rattle_model_smoothness, library), Cint, (Ptr{rattle_model},), model)
rattle_model_order_left(model, text, size) =
    ccall((:rattle_model_order_left, library), Cint, (Ptr{rattle_model}, Ptr{Cchar}, Csize_t,), model, text, size)
rattle_model_set_title(model, title, error) =
    ccall((:rattle_model_set_title, library), rattle_status, (Ptr{rattle_model}, Cstring, Ptr{rattle_error},), model, title, error)
rattle_model_add_metadata(model, key, value, error) =
    ccall((:rattle_model_add_metadata, library), rattle_status, (Ptr{rattle_model}, Cstring, Cstring, Ptr{rattle_error},), model, key, value, error)
rattle_model_set_wishes(model, wishes, error) =
    ccall((:rattle_model_set_wishes, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_wishes}, Ptr{rattle_error},), model, wishes, error)
rattle_model_title(model) =
    ccall((:rattle_model_title, library), Ptr{Cchar}, (Ptr{rattle_model},), model)
rattle_model_text(model) =
    ccall((:rattle_model_text, library), Ptr{Cchar}, (Ptr{rattle_model},), model)
rattle_model_wishes(model) =
    ccall((:rattle_model_wishes, library), Ptr{rattle_wishes}, (Ptr{rattle_model},), model)
rattle_model_pairs(model) =
    ccall((:rattle_model_pairs, library), Cint, (Ptr{rattle_model},), model)
rattle_model_constraints(model) =
    ccall((:rattle_model_constraints, library), Cint, (Ptr{rattle_model},), model)
rattle_model_observables(model) =
    ccall((:rattle_model_observables, library), Cint, (Ptr{rattle_model},), model)
rattle_model_velocity_constraints(model) =
    ccall((:rattle_model_velocity_constraints, library), Cint, (Ptr{rattle_model},), model)
rattle_model_velocity_constraint_name(model, constraint) =
    ccall((:rattle_model_velocity_constraint_name, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, constraint)
rattle_model_velocity_constraint_expr(model, constraint) =
    ccall((:rattle_model_velocity_constraint_expr, library), rattle_expr, (Ptr{rattle_model}, Cint,), model, constraint)
rattle_model_coordinate_name(model, pair) =
    ccall((:rattle_model_coordinate_name, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, pair)
rattle_model_momentum_name(model, pair) =
    ccall((:rattle_model_momentum_name, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, pair)
rattle_model_constraint_name(model, constraint) =
    ccall((:rattle_model_constraint_name, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, constraint)
rattle_model_observable_name(model, observable) =
    ccall((:rattle_model_observable_name, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, observable)
rattle_model_events(model) =
    ccall((:rattle_model_events, library), Cint, (Ptr{rattle_model},), model)
rattle_model_event_name(model, event) =
    ccall((:rattle_model_event_name, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint,), model, event)
rattle_model_parameters(model, parameters) =
    ccall((:rattle_model_parameters, library), Cint, (Ptr{rattle_model}, Ptr{Ptr{rattle_parameter}},), model, parameters)
rattle_model_parameter_range(model, parameter, range) =
    ccall((:rattle_model_parameter_range, library), Cint, (Ptr{rattle_model}, Cint, Ptr{Cdouble},), model, parameter, range)
rattle_model_metadata(model, i, key, value) =
    ccall((:rattle_model_metadata, library), Cint, (Ptr{rattle_model}, Cint, Ptr{Ptr{Cchar}}, Ptr{Ptr{Cchar}},), model, i, key, value)
rattle_model_hamiltonian(model) =
    ccall((:rattle_model_hamiltonian, library), rattle_expr, (Ptr{rattle_model},), model)
rattle_model_force(model, pair) =
    ccall((:rattle_model_force, library), rattle_expr, (Ptr{rattle_model}, Cint,), model, pair)
rattle_model_constraint_expr(model, constraint) =
    ccall((:rattle_model_constraint_expr, library), rattle_expr, (Ptr{rattle_model}, Cint,), model, constraint)
rattle_problem_create(problem, model, options, error) =
    ccall((:rattle_problem_create, library), rattle_status, (Ptr{Ptr{rattle_problem}}, Ptr{rattle_model}, Ptr{rattle_problem_options}, Ptr{rattle_error},), problem, model, options, error)
rattle_problem_with_parameters(other, problem, parameters, count, error) =
    ccall((:rattle_problem_with_parameters, library), rattle_status, (Ptr{Ptr{rattle_problem}}, Ptr{rattle_problem}, Ptr{rattle_parameter}, Cint, Ptr{rattle_error},), other, problem, parameters, count, error)
rattle_problem_set_parameters(problem, parameters, count, error) =
    ccall((:rattle_problem_set_parameters, library), rattle_status, (Ptr{rattle_problem}, Ptr{rattle_parameter}, Cint, Ptr{rattle_error},), problem, parameters, count, error)
rattle_problem_create_callbacks(problem, callbacks, error) =
    ccall((:rattle_problem_create_callbacks, library), rattle_status, (Ptr{Ptr{rattle_problem}}, Ptr{rattle_callbacks}, Ptr{rattle_error},), problem, callbacks, error)
rattle_problem_destroy(problem) =
    ccall((:rattle_problem_destroy, library), Cvoid, (Ptr{Ptr{rattle_problem}},), problem)
rattle_problem_retain(problem) =
    ccall((:rattle_problem_retain, library), Ptr{rattle_problem}, (Ptr{rattle_problem},), problem)
rattle_problem_n(problem) =
    ccall((:rattle_problem_n, library), Cint, (Ptr{rattle_problem},), problem)
rattle_problem_m(problem) =
    ccall((:rattle_problem_m, library), Cint, (Ptr{rattle_problem},), problem)
rattle_problem_velocity_constraints(problem) =
    ccall((:rattle_problem_velocity_constraints, library), Cint, (Ptr{rattle_problem},), problem)
rattle_problem_implied(problem, i) =
    ccall((:rattle_problem_implied, library), Ptr{Cchar}, (Ptr{rattle_problem}, Cint,), problem, i)
rattle_problem_kind(problem) =
    ccall((:rattle_problem_kind, library), Cint, (Ptr{rattle_problem},), problem)
rattle_problem_kind_name(problem) =
    ccall((:rattle_problem_kind_name, library), Ptr{Cchar}, (Ptr{rattle_problem},), problem)
rattle_problem_model(problem) =
    ccall((:rattle_problem_model, library), Ptr{rattle_model}, (Ptr{rattle_problem},), problem)
rattle_problem_constraint_name(problem, constraint) =
    ccall((:rattle_problem_constraint_name, library), Ptr{Cchar}, (Ptr{rattle_problem}, Cint,), problem, constraint)
rattle_problem_evaluator(problem) =
    ccall((:rattle_problem_evaluator, library), Ptr{Cchar}, (Ptr{rattle_problem},), problem)
rattle_problem_energy(problem, q, p, H, error) =
    ccall((:rattle_problem_energy, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, q, p, H, error)
rattle_problem_residuals(problem, q, p, g, psi, error) =
    ccall((:rattle_problem_residuals, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, q, p, g, psi, error)
rattle_problem_multipliers(problem, q, p, multipliers, error) =
    ccall((:rattle_problem_multipliers, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, q, p, multipliers, error)
rattle_problem_observe(problem, q, p, observed, error) =
    ccall((:rattle_problem_observe, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, q, p, observed, error)
rattle_problem_nondegeneracy(problem, q, p, smallest, condition, error) =
    ccall((:rattle_problem_nondegeneracy, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, q, p, smallest, condition, error)
rattle_problem_start(problem, project, q, p, moved, error) =
    ccall((:rattle_problem_start, library), rattle_status, (Ptr{rattle_problem}, Cint, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, project, q, p, moved, error)
rattle_problem_not_integrable(problem, q, p, constraint, error) =
    ccall((:rattle_problem_not_integrable, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cint}, Ptr{rattle_error},), problem, q, p, constraint, error)
rattle_cases_create(cases, path, about, force, error) =
    ccall((:rattle_cases_create, library), rattle_status, (Ptr{Ptr{rattle_cases}}, Cstring, Ptr{rattle_cases_about}, Cint, Ptr{rattle_error},), cases, path, about, force, error)
rattle_cases_append(cases, path, error) =
    ccall((:rattle_cases_append, library), rattle_status, (Ptr{Ptr{rattle_cases}}, Cstring, Ptr{rattle_error},), cases, path, error)
rattle_cases_open(cases, path, error) =
    ccall((:rattle_cases_open, library), rattle_status, (Ptr{Ptr{rattle_cases}}, Cstring, Ptr{rattle_error},), cases, path, error)
rattle_cases_about_of(cases) =
    ccall((:rattle_cases_about_of, library), Ptr{rattle_cases_about}, (Ptr{rattle_cases},), cases)
rattle_cases_width(cases) =
    ccall((:rattle_cases_width, library), Cint, (Ptr{rattle_cases},), cases)
rattle_cases_put(cases, number, row, error) =
    ccall((:rattle_cases_put, library), rattle_status, (Ptr{rattle_cases}, Clonglong, Ptr{Cdouble}, Ptr{rattle_error},), cases, number, row, error)
rattle_cases_flush(cases, error) =
    ccall((:rattle_cases_flush, library), rattle_status, (Ptr{rattle_cases}, Ptr{rattle_error},), cases, error)
rattle_cases_get(cases, first, count, row, there, error) =
    ccall((:rattle_cases_get, library), rattle_status, (Ptr{rattle_cases}, Clonglong, Clonglong, Ptr{Cdouble}, Ptr{Int8}, Ptr{rattle_error},), cases, first, count, row, there, error)
rattle_cases_written(cases) =
    ccall((:rattle_cases_written, library), Cint, (Ptr{rattle_cases},), cases)
rattle_cases_close(cases, error) =
    ccall((:rattle_cases_close, library), rattle_status, (Ptr{Ptr{rattle_cases}}, Ptr{rattle_error},), cases, error)
rattle_method_parse(method, expression, error) =
    ccall((:rattle_method_parse, library), rattle_status, (Ptr{Ptr{rattle_method}}, Cstring, Ptr{rattle_error},), method, expression, error)
rattle_method_destroy(method) =
    ccall((:rattle_method_destroy, library), Cvoid, (Ptr{Ptr{rattle_method}},), method)
rattle_method_text(method) =
    ccall((:rattle_method_text, library), Ptr{Cchar}, (Ptr{rattle_method},), method)
rattle_method_compensate(method) =
    ccall((:rattle_method_compensate, library), Cvoid, (Ptr{rattle_method},), method)
rattle_method_claims(method) =
    ccall((:rattle_method_claims, library), rattle_claims, (Ptr{rattle_method},), method)
rattle_method_adapts(method) =
    ccall((:rattle_method_adapts, library), Cint, (Ptr{rattle_method},), method)
rattle_method_samples(method) =
    ccall((:rattle_method_samples, library), Cint, (Ptr{rattle_method},), method)
rattle_method_explain(method, buffer, size) =
    ccall((:rattle_method_explain, library), Ptr{Cchar}, (Ptr{rattle_method}, Ptr{Cchar}, Csize_t,), method, buffer, size)
rattle_method_formula(method, buffer, size) =
    ccall((:rattle_method_formula, library), Ptr{Cchar}, (Ptr{rattle_method}, Ptr{Cchar}, Csize_t,), method, buffer, size)
rattle_method_rows(rows) =
    ccall((:rattle_method_rows, library), Cint, (Ptr{Ptr{rattle_method_row}},), rows)
rattle_method_resolve(method, problem, error) =
    ccall((:rattle_method_resolve, library), rattle_status, (Ptr{rattle_method}, Ptr{rattle_problem}, Ptr{rattle_error},), method, problem, error)
rattle_default_method(problem) =
    ccall((:rattle_default_method, library), Ptr{Cchar}, (Ptr{rattle_problem},), problem)
rattle_integrator_create(integrator, problem, method, error) =
    ccall((:rattle_integrator_create, library), rattle_status, (Ptr{Ptr{rattle_integrator}}, Ptr{rattle_problem}, Cstring, Ptr{rattle_error},), integrator, problem, method, error)
rattle_integrator_create_by(integrator, problem, method, error) =
    ccall((:rattle_integrator_create_by, library), rattle_status, (Ptr{Ptr{rattle_integrator}}, Ptr{rattle_problem}, Ptr{rattle_method}, Ptr{rattle_error},), integrator, problem, method, error)
rattle_integrator_destroy(integrator) =
    ccall((:rattle_integrator_destroy, library), Cvoid, (Ptr{Ptr{rattle_integrator}},), integrator)
rattle_integrator_step(integrator, state, steps, error) =
    ccall((:rattle_integrator_step, library), rattle_status, (Ptr{rattle_integrator}, Ptr{rattle_state}, Clonglong, Ptr{rattle_error},), integrator, state, steps, error)
rattle_integrator_output(integrator, state, q_out, p_out, error) =
    ccall((:rattle_integrator_output, library), rattle_status, (Ptr{rattle_integrator}, Ptr{rattle_state}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), integrator, state, q_out, p_out, error)
rattle_integrator_time(integrator, state) =
    ccall((:rattle_integrator_time, library), Cdouble, (Ptr{rattle_integrator}, Ptr{rattle_state},), integrator, state)
rattle_integrator_step_lengths(integrator, shortest, longest) =
    ccall((:rattle_integrator_step_lengths, library), Cvoid, (Ptr{rattle_integrator}, Ptr{Cdouble}, Ptr{Cdouble},), integrator, shortest, longest)
rattle_integrator_work(integrator, state) =
    ccall((:rattle_integrator_work, library), Cdouble, (Ptr{rattle_integrator}, Ptr{rattle_state},), integrator, state)
rattle_integrator_has_work(integrator) =
    ccall((:rattle_integrator_has_work, library), Cint, (Ptr{rattle_integrator},), integrator)
rattle_integrator_method(integrator) =
    ccall((:rattle_integrator_method, library), Ptr{rattle_method}, (Ptr{rattle_integrator},), integrator)
rattle_integrator_claims(integrator) =
    ccall((:rattle_integrator_claims, library), rattle_claims, (Ptr{rattle_integrator},), integrator)
rattle_integrator_counts(integrator) =
    ccall((:rattle_integrator_counts, library), rattle_counts, (Ptr{rattle_integrator},), integrator)
rattle_integrator_residuals(integrator) =
    ccall((:rattle_integrator_residuals, library), rattle_residuals, (Ptr{rattle_integrator},), integrator)
rattle_integrator_reset(integrator) =
    ccall((:rattle_integrator_reset, library), Cvoid, (Ptr{rattle_integrator},), integrator)
rattle_integrator_extra(integrator) =
    ccall((:rattle_integrator_extra, library), Cint, (Ptr{rattle_integrator},), integrator)
rattle_integrator_get_extra(integrator, extra) =
    ccall((:rattle_integrator_get_extra, library), Cvoid, (Ptr{rattle_integrator}, Ptr{Cdouble},), integrator, extra)
rattle_integrator_set_extra(integrator, extra) =
    ccall((:rattle_integrator_set_extra, library), Cvoid, (Ptr{rattle_integrator}, Ptr{Cdouble},), integrator, extra)
rattle_integrator_evaluator(integrator) =
    ccall((:rattle_integrator_evaluator, library), Ptr{Cchar}, (Ptr{rattle_integrator},), integrator)
rattle_integrator_solver(integrator) =
    ccall((:rattle_integrator_solver, library), Ptr{Cchar}, (Ptr{rattle_integrator},), integrator)
rattle_integrator_kernel(integrator) =
    ccall((:rattle_integrator_kernel, library), Ptr{Cchar}, (Ptr{rattle_integrator},), integrator)
rattle_integrator_followed(integrator) =
    ccall((:rattle_integrator_followed, library), Cint, (Ptr{rattle_integrator},), integrator)
rattle_certifier_create(certifier, problem, method, error) =
    ccall((:rattle_certifier_create, library), rattle_status, (Ptr{Ptr{rattle_certifier}}, Ptr{rattle_problem}, Cstring, Ptr{rattle_error},), certifier, problem, method, error)
rattle_certifier_destroy(certifier) =
    ccall((:rattle_certifier_destroy, library), Cvoid, (Ptr{Ptr{rattle_certifier}},), certifier)
rattle_certifier_integrator(certifier) =
    ccall((:rattle_certifier_integrator, library), Ptr{rattle_integrator}, (Ptr{rattle_certifier},), certifier)
rattle_certifier_step(certifier, state, steps, certificate, error) =
    ccall((:rattle_certifier_step, library), rattle_status, (Ptr{rattle_certifier}, Ptr{rattle_state}, Clonglong, Ptr{rattle_certificate}, Ptr{rattle_error},), certifier, state, steps, certificate, error)
rattle_certifier_check(certifier, h, q0, p0, q1, certificate, error) =
    ccall((:rattle_certifier_check, library), rattle_status, (Ptr{rattle_certifier}, Cdouble, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_certificate}, Ptr{rattle_error},), certifier, h, q0, p0, q1, certificate, error)
rattle_integrator_certify(integrator, error) =
    ccall((:rattle_integrator_certify, library), rattle_status, (Ptr{rattle_integrator}, Ptr{rattle_error},), integrator, error)
rattle_integrator_certificate(integrator, certificate) =
    ccall((:rattle_integrator_certificate, library), Cint, (Ptr{rattle_integrator}, Ptr{rattle_certificate},), integrator, certificate)
rattle_integrator_set_control(integrator, control, error) =
    ccall((:rattle_integrator_set_control, library), rattle_status, (Ptr{rattle_integrator}, Ptr{rattle_control}, Ptr{rattle_error},), integrator, control, error)
rattle_model_controller_value(model, controller, value) =
    ccall((:rattle_model_controller_value, library), Ptr{Cchar}, (Ptr{rattle_model}, Cint, Cint,), model, controller, value)
rattle_doctor_create(doctor, model, problem, options, error) =
    ccall((:rattle_doctor_create, library), rattle_status, (Ptr{Ptr{rattle_doctor}}, Ptr{rattle_model}, Ptr{rattle_problem}, Ptr{rattle_doctor_options}, Ptr{rattle_error},), doctor, model, problem, options, error)
rattle_doctor_destroy(doctor) =
    ccall((:rattle_doctor_destroy, library), Cvoid, (Ptr{Ptr{rattle_doctor}},), doctor)
rattle_doctor_diagnosis(doctor) =
    ccall((:rattle_doctor_diagnosis, library), Ptr{rattle_diagnosis}, (Ptr{rattle_doctor},), doctor)
rattle_doctor_step(problem, q, p, step, error) =
    ccall((:rattle_doctor_step, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), problem, q, p, step, error)
rattle_doctor_derivatives(problem, q, p, sentence, room, error) =
    ccall((:rattle_doctor_derivatives, library), rattle_status, (Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cchar}, Csize_t, Ptr{rattle_error},), problem, q, p, sentence, room, error)
rattle_model_add_drawing(model, drawing, error) =
    ccall((:rattle_model_add_drawing, library), rattle_status, (Ptr{rattle_model}, Ptr{rattle_drawing}, Ptr{rattle_error},), model, drawing, error)
rattle_model_drawing(model, i, drawing) =
    ccall((:rattle_model_drawing, library), Cint, (Ptr{rattle_model}, Cint, Ptr{rattle_drawing},), model, i, drawing)
rattle_model_add_angle(model, pair, error) =
    ccall((:rattle_model_add_angle, library), rattle_status, (Ptr{rattle_model}, Cint, Ptr{rattle_error},), model, pair, error)
rattle_model_is_angle(model, pair) =
    ccall((:rattle_model_is_angle, library), Cint, (Ptr{rattle_model}, Cint,), model, pair)
rattle_run(integrator, state, options, observers, observer_count, summary, error) =
    ccall((:rattle_run, library), rattle_status, (Ptr{rattle_integrator}, Ptr{rattle_state}, Ptr{rattle_run_options}, Ptr{Ptr{rattle_observer}}, Cint, Ptr{rattle_summary}, Ptr{rattle_error},), integrator, state, options, observers, observer_count, summary, error)
rattle_trajectory_create(trajectory, problem, error) =
    ccall((:rattle_trajectory_create, library), rattle_status, (Ptr{Ptr{rattle_trajectory}}, Ptr{rattle_problem}, Ptr{rattle_error},), trajectory, problem, error)
rattle_trajectory_observer(trajectory) =
    ccall((:rattle_trajectory_observer, library), Ptr{rattle_observer}, (Ptr{rattle_trajectory},), trajectory)
rattle_trajectory_samples(trajectory) =
    ccall((:rattle_trajectory_samples, library), Ptr{rattle_samples}, (Ptr{rattle_trajectory},), trajectory)
rattle_trajectory_events(trajectory) =
    ccall((:rattle_trajectory_events, library), Cint, (Ptr{rattle_trajectory},), trajectory)
rattle_trajectory_event(trajectory, event) =
    ccall((:rattle_trajectory_event, library), Ptr{rattle_samples}, (Ptr{rattle_trajectory}, Cint,), trajectory, event)
rattle_trajectory_destroy(trajectory) =
    ccall((:rattle_trajectory_destroy, library), Cvoid, (Ptr{Ptr{rattle_trajectory}},), trajectory)
rattle_ensemble(problem, options, ended, error) =
    ccall((:rattle_ensemble, library), rattle_status, (Ptr{rattle_problem}, Ptr{rattle_ensemble_options}, Ptr{Clonglong}, Ptr{rattle_error},), problem, options, ended, error)
rattle_equilibrium_create(found, problem, q, options, error) =
    ccall((:rattle_equilibrium_create, library), rattle_status, (Ptr{Ptr{rattle_equilibrium}}, Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{rattle_equilibrium_options}, Ptr{rattle_error},), found, problem, q, options, error)
rattle_equilibrium_destroy(found) =
    ccall((:rattle_equilibrium_destroy, library), Cvoid, (Ptr{Ptr{rattle_equilibrium}},), found)
rattle_equilibrium_result_of(found) =
    ccall((:rattle_equilibrium_result_of, library), Ptr{rattle_equilibrium_result}, (Ptr{rattle_equilibrium},), found)
rattle_equilibria_create(family, problem, q, options, error) =
    ccall((:rattle_equilibria_create, library), rattle_status, (Ptr{Ptr{rattle_equilibria}}, Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{rattle_equilibria_options}, Ptr{rattle_error},), family, problem, q, options, error)
rattle_equilibria_destroy(family) =
    ccall((:rattle_equilibria_destroy, library), Cvoid, (Ptr{Ptr{rattle_equilibria}},), family)
rattle_equilibria_points(family) =
    ccall((:rattle_equilibria_points, library), Cint, (Ptr{rattle_equilibria},), family)
rattle_equilibria_point_of(family, i) =
    ccall((:rattle_equilibria_point_of, library), rattle_equilibria_point, (Ptr{rattle_equilibria}, Cint,), family, i)
rattle_equilibria_why(family) =
    ccall((:rattle_equilibria_why, library), Ptr{Cchar}, (Ptr{rattle_equilibria},), family)
rattle_equilibria_event_name(event) =
    ccall((:rattle_equilibria_event_name, library), Ptr{Cchar}, (rattle_equilibria_event,), event)
rattle_fit_create(fit, problem, data, runs, options, error) =
    ccall((:rattle_fit_create, library), rattle_status, (Ptr{Ptr{rattle_fit}}, Ptr{rattle_problem}, Ptr{rattle_fit_data}, Cint, Ptr{rattle_fit_options}, Ptr{rattle_error},), fit, problem, data, runs, options, error)
rattle_fit_destroy(fit) =
    ccall((:rattle_fit_destroy, library), Cvoid, (Ptr{Ptr{rattle_fit}},), fit)
rattle_fit_result_of(fit) =
    ccall((:rattle_fit_result_of, library), Ptr{rattle_fit_result}, (Ptr{rattle_fit},), fit)
rattle_fit_values(fit, run) =
    ccall((:rattle_fit_values, library), Ptr{Cdouble}, (Ptr{rattle_fit}, Cint,), fit, run)
rattle_fit_start(fit, run) =
    ccall((:rattle_fit_start, library), Ptr{Cdouble}, (Ptr{rattle_fit}, Cint,), fit, run)
rattle_csv_create(csv, path, problem, force, error) =
    ccall((:rattle_csv_create, library), rattle_status, (Ptr{Ptr{rattle_csv}}, Cstring, Ptr{rattle_problem}, Cint, Ptr{rattle_error},), csv, path, problem, force, error)
rattle_csv_observer(csv) =
    ccall((:rattle_csv_observer, library), Ptr{rattle_observer}, (Ptr{rattle_csv},), csv)
rattle_csv_destroy(csv) =
    ccall((:rattle_csv_destroy, library), Cvoid, (Ptr{Ptr{rattle_csv}},), csv)
rattle_tangent_create(tangent, problem, method, error) =
    ccall((:rattle_tangent_create, library), rattle_status, (Ptr{Ptr{rattle_tangent}}, Ptr{rattle_problem}, Cstring, Ptr{rattle_error},), tangent, problem, method, error)
rattle_tangent_destroy(tangent) =
    ccall((:rattle_tangent_destroy, library), Cvoid, (Ptr{Ptr{rattle_tangent}},), tangent)
rattle_tangent_integrator(tangent) =
    ccall((:rattle_tangent_integrator, library), Ptr{rattle_integrator}, (Ptr{rattle_tangent},), tangent)
rattle_tangent_step(tangent, state, steps, count, W, error) =
    ccall((:rattle_tangent_step, library), rattle_status, (Ptr{rattle_tangent}, Ptr{rattle_state}, Clonglong, Cint, Ptr{Cdouble}, Ptr{rattle_error},), tangent, state, steps, count, W, error)
rattle_tangent_project(tangent, q, p, count, W, error) =
    ccall((:rattle_tangent_project, library), rattle_status, (Ptr{rattle_tangent}, Ptr{Cdouble}, Ptr{Cdouble}, Cint, Ptr{Cdouble}, Ptr{rattle_error},), tangent, q, p, count, W, error)
rattle_tangent_basis(tangent, q, p, dimension, W, error) =
    ccall((:rattle_tangent_basis, library), rattle_status, (Ptr{rattle_tangent}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cint}, Ptr{Cdouble}, Ptr{rattle_error},), tangent, q, p, dimension, W, error)
rattle_tangent_gradient(tangent, state, steps, objective, value, gradient, error) =
    ccall((:rattle_tangent_gradient, library), rattle_status, (Ptr{rattle_tangent}, Ptr{rattle_state}, Clonglong, Ptr{rattle_objective}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), tangent, state, steps, objective, value, gradient, error)
rattle_tangent_gradient_memory(tangent, steps) =
    ccall((:rattle_tangent_gradient_memory, library), Csize_t, (Ptr{rattle_tangent}, Clonglong,), tangent, steps)
rattle_orbit_create(orbit, problem, q, p, options, error) =
    ccall((:rattle_orbit_create, library), rattle_status, (Ptr{Ptr{rattle_orbit}}, Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_orbit_options}, Ptr{rattle_error},), orbit, problem, q, p, options, error)
rattle_orbit_destroy(orbit) =
    ccall((:rattle_orbit_destroy, library), Cvoid, (Ptr{Ptr{rattle_orbit}},), orbit)
rattle_orbit_result_of(orbit) =
    ccall((:rattle_orbit_result_of, library), Ptr{rattle_orbit_result}, (Ptr{rattle_orbit},), orbit)
rattle_orbit_monodromy(orbit, M, basis) =
    ccall((:rattle_orbit_monodromy, library), Cvoid, (Ptr{rattle_orbit}, Ptr{Cdouble}, Ptr{Cdouble},), orbit, M, basis)
rattle_family_create(family, problem, q, p, options, error) =
    ccall((:rattle_family_create, library), rattle_status, (Ptr{Ptr{rattle_family}}, Ptr{rattle_problem}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_family_options}, Ptr{rattle_error},), family, problem, q, p, options, error)
rattle_family_destroy(family) =
    ccall((:rattle_family_destroy, library), Cvoid, (Ptr{Ptr{rattle_family}},), family)
rattle_family_points(family) =
    ccall((:rattle_family_points, library), Cint, (Ptr{rattle_family},), family)
rattle_family_multipliers(family) =
    ccall((:rattle_family_multipliers, library), Cint, (Ptr{rattle_family},), family)
rattle_family_point_of(family, i) =
    ccall((:rattle_family_point_of, library), rattle_family_point, (Ptr{rattle_family}, Cint,), family, i)
rattle_family_why(family) =
    ccall((:rattle_family_why, library), Ptr{Cchar}, (Ptr{rattle_family},), family)
rattle_family_event_name(event) =
    ccall((:rattle_family_event_name, library), Ptr{Cchar}, (rattle_family_event,), event)
rattle_plugin_add(plugin, error) =
    ccall((:rattle_plugin_add, library), rattle_status, (Ptr{rattle_plugin}, Ptr{rattle_error},), plugin, error)
rattle_plugin_load(path, plugin, error) =
    ccall((:rattle_plugin_load, library), rattle_status, (Cstring, Ptr{Ptr{rattle_plugin}}, Ptr{rattle_error},), path, plugin, error)
rattle_plugin_row(i) =
    ccall((:rattle_plugin_row, library), Ptr{rattle_method_row}, (Cint,), i)
rattle_method_plugin(method) =
    ccall((:rattle_method_plugin, library), Ptr{rattle_plugin}, (Ptr{rattle_method},), method)
rattle_plugin_find_observer(name) =
    ccall((:rattle_plugin_find_observer, library), Ptr{rattle_plugin_observer}, (Cstring,), name)
rattle_warnings_create(warnings, integrator, error) =
    ccall((:rattle_warnings_create, library), rattle_status, (Ptr{Ptr{rattle_warnings}}, Ptr{rattle_integrator}, Ptr{rattle_error},), warnings, integrator, error)
rattle_warnings_observer(warnings, state) =
    ccall((:rattle_warnings_observer, library), Ptr{rattle_observer}, (Ptr{rattle_warnings}, Ptr{rattle_state},), warnings, state)
rattle_warnings_count(warnings) =
    ccall((:rattle_warnings_count, library), Cint, (Ptr{rattle_warnings},), warnings)
rattle_warnings_text(warnings, index) =
    ccall((:rattle_warnings_text, library), Ptr{Cchar}, (Ptr{rattle_warnings}, Cint,), warnings, index)
rattle_warnings_destroy(warnings) =
    ccall((:rattle_warnings_destroy, library), Cvoid, (Ptr{Ptr{rattle_warnings}},), warnings)
rattle_record_create(record, path, problem, options, error) =
    ccall((:rattle_record_create, library), rattle_status, (Ptr{Ptr{rattle_record}}, Cstring, Ptr{rattle_problem}, Ptr{rattle_record_options}, Ptr{rattle_error},), record, path, problem, options, error)
rattle_record_append(record, path, error) =
    ccall((:rattle_record_append, library), rattle_status, (Ptr{Ptr{rattle_record}}, Cstring, Ptr{rattle_error},), record, path, error)
rattle_record_open(record, path, error) =
    ccall((:rattle_record_open, library), rattle_status, (Ptr{Ptr{rattle_record}}, Cstring, Ptr{rattle_error},), record, path, error)
rattle_record_close(record) =
    ccall((:rattle_record_close, library), Cvoid, (Ptr{Ptr{rattle_record}},), record)
rattle_record_observer(record) =
    ccall((:rattle_record_observer, library), Ptr{rattle_observer}, (Ptr{rattle_record},), record)
rattle_record_keep_warnings(record, warnings) =
    ccall((:rattle_record_keep_warnings, library), Cvoid, (Ptr{rattle_record}, Ptr{rattle_warnings},), record, warnings)
rattle_record_info_of(record) =
    ccall((:rattle_record_info_of, library), Ptr{rattle_record_info}, (Ptr{rattle_record},), record)
rattle_record_refresh(record, error) =
    ccall((:rattle_record_refresh, library), rattle_status, (Ptr{rattle_record}, Ptr{rattle_error},), record, error)
rattle_record_state(record, q, p, extra, extra_size, step, error) =
    ccall((:rattle_record_state, library), rattle_status, (Ptr{rattle_record}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Cint, Ptr{Clonglong}, Ptr{rattle_error},), record, q, p, extra, extra_size, step, error)
rattle_record_read(record, first, count, time, energy, q, p, multipliers, observed, error) =
    ccall((:rattle_record_read, library), rattle_status, (Ptr{rattle_record}, Clonglong, Clonglong, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), record, first, count, time, energy, q, p, multipliers, observed, error)
rattle_record_find_column(record, name, column, error) =
    ccall((:rattle_record_find_column, library), rattle_status, (Ptr{rattle_record}, Cstring, Ptr{rattle_column}, Ptr{rattle_error},), record, name, column, error)
rattle_record_read_column(record, column, first, count, values, error) =
    ccall((:rattle_record_read_column, library), rattle_status, (Ptr{rattle_record}, rattle_column, Clonglong, Clonglong, Ptr{Cdouble}, Ptr{rattle_error},), record, column, first, count, values, error)
rattle_record_read_event(record, event, column, first, count, values, error) =
    ccall((:rattle_record_read_event, library), rattle_status, (Ptr{rattle_record}, Cint, rattle_column, Clonglong, Clonglong, Ptr{Cdouble}, Ptr{rattle_error},), record, event, column, first, count, values, error)
rattle_record_write(record, path, with, error) =
    ccall((:rattle_record_write, library), rattle_status, (Ptr{rattle_record}, Cstring, Ptr{rattle_record_export}, Ptr{rattle_error},), record, path, with, error)
rattle_record_recover(path, samples, error) =
    ccall((:rattle_record_recover, library), rattle_status, (Cstring, Ptr{Clonglong}, Ptr{rattle_error},), path, samples, error)
rattle_chain_create(chain, problem, options, error) =
    ccall((:rattle_chain_create, library), rattle_status, (Ptr{Ptr{rattle_chain}}, Ptr{rattle_problem}, Ptr{rattle_chain_options}, Ptr{rattle_error},), chain, problem, options, error)
rattle_chain_destroy(chain) =
    ccall((:rattle_chain_destroy, library), Cvoid, (Ptr{Ptr{rattle_chain}},), chain)
rattle_chain_advance(chain, transitions, error) =
    ccall((:rattle_chain_advance, library), rattle_status, (Ptr{rattle_chain}, Clonglong, Ptr{rattle_error},), chain, transitions, error)
rattle_chain_point(chain, q, p) =
    ccall((:rattle_chain_point, library), Cvoid, (Ptr{rattle_chain}, Ptr{Ptr{Cdouble}}, Ptr{Ptr{Cdouble}},), chain, q, p)
rattle_chain_potential(chain) =
    ccall((:rattle_chain_potential, library), Cdouble, (Ptr{rattle_chain},), chain)
rattle_chain_log_delta(chain, log_delta, error) =
    ccall((:rattle_chain_log_delta, library), rattle_status, (Ptr{rattle_chain}, Ptr{Cdouble}, Ptr{rattle_error},), chain, log_delta, error)
rattle_chain_step(chain) =
    ccall((:rattle_chain_step, library), Cdouble, (Ptr{rattle_chain},), chain)
rattle_chain_temperature(chain) =
    ccall((:rattle_chain_temperature, library), Cdouble, (Ptr{rattle_chain},), chain)
rattle_chain_method(chain) =
    ccall((:rattle_chain_method, library), Ptr{Cchar}, (Ptr{rattle_chain},), chain)
rattle_chain_counts_of(chain) =
    ccall((:rattle_chain_counts_of, library), rattle_chain_counts, (Ptr{rattle_chain},), chain)
rattle_chain_state_size(chain) =
    ccall((:rattle_chain_state_size, library), Cint, (Ptr{rattle_chain},), chain)
rattle_chain_get_state(chain, state) =
    ccall((:rattle_chain_get_state, library), Cvoid, (Ptr{rattle_chain}, Ptr{Cdouble},), chain, state)
rattle_chain_set_state(chain, state, error) =
    ccall((:rattle_chain_set_state, library), rattle_status, (Ptr{rattle_chain}, Ptr{Cdouble}, Ptr{rattle_error},), chain, state, error)
rattle_estimate_of(draws, estimate, error) =
    ccall((:rattle_estimate_of, library), rattle_status, (Ptr{rattle_draws}, Ptr{rattle_estimate}, Ptr{rattle_error},), draws, estimate, error)
rattle_autocorrelation_of(draws, chain, most, rho) =
    ccall((:rattle_autocorrelation_of, library), Clonglong, (Ptr{rattle_draws}, Clonglong, Clonglong, Ptr{Cdouble},), draws, chain, most, rho)
rattle_sampling_doubt(result, which, text, size) =
    ccall((:rattle_sampling_doubt, library), Ptr{Cchar}, (Ptr{rattle_sampling_result}, Cint, Ptr{Cchar}, Csize_t,), result, which, text, size)
rattle_sampling_create(sampling, problem, options, error) =
    ccall((:rattle_sampling_create, library), rattle_status, (Ptr{Ptr{rattle_sampling}}, Ptr{rattle_problem}, Ptr{rattle_sampling_options}, Ptr{rattle_error},), sampling, problem, options, error)
rattle_sampling_destroy(sampling) =
    ccall((:rattle_sampling_destroy, library), Cvoid, (Ptr{Ptr{rattle_sampling}},), sampling)
rattle_sampling_result_of(sampling) =
    ccall((:rattle_sampling_result_of, library), Ptr{rattle_sampling_result}, (Ptr{rattle_sampling},), sampling)
rattle_site_kind_of(index) =
    ccall((:rattle_site_kind_of, library), Ptr{rattle_site_kind}, (Cint,), index)
rattle_site_weights(kind, parents, numbers, weights, lengths, error) =
    ccall((:rattle_site_weights, library), rattle_status, (Cstring, Cint, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), kind, parents, numbers, weights, lengths, error)
rattle_sites_create(sites, list, error) =
    ccall((:rattle_sites_create, library), rattle_status, (Ptr{Ptr{rattle_sites}}, Ptr{rattle_sites_list}, Ptr{rattle_error},), sites, list, error)
rattle_sites_destroy(sites) =
    ccall((:rattle_sites_destroy, library), Cvoid, (Ptr{Ptr{rattle_sites}},), sites)
rattle_sites_positions(sites, x, v, box, error) =
    ccall((:rattle_sites_positions, library), rattle_status, (Ptr{rattle_sites}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_bonds_box}, Ptr{rattle_error},), sites, x, v, box, error)
rattle_sites_forces(sites, x, f, virial, box, error) =
    ccall((:rattle_sites_forces, library), rattle_status, (Ptr{rattle_sites}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_bonds_box}, Ptr{rattle_error},), sites, x, f, virial, box, error)
rattle_slider_create(slider, problem, error) =
    ccall((:rattle_slider_create, library), rattle_status, (Ptr{Ptr{rattle_slider}}, Ptr{rattle_problem}, Ptr{rattle_error},), slider, problem, error)
rattle_slider_destroy(slider) =
    ccall((:rattle_slider_destroy, library), Cvoid, (Ptr{Ptr{rattle_slider}},), slider)
rattle_slider_place(slider, q, p, error) =
    ccall((:rattle_slider_place, library), rattle_status, (Ptr{rattle_slider}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), slider, q, p, error)
rattle_slider_momenta(slider, q, p, error) =
    ccall((:rattle_slider_momenta, library), rattle_status, (Ptr{rattle_slider}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{rattle_error},), slider, q, p, error)
rattle_integrator_record_impulses(integrator, error) =
    ccall((:rattle_integrator_record_impulses, library), rattle_status, (Ptr{rattle_integrator}, Ptr{rattle_error},), integrator, error)
rattle_integrator_impulses(integrator, impulse, virial) =
    ccall((:rattle_integrator_impulses, library), Cvoid, (Ptr{rattle_integrator}, Ptr{Cdouble}, Ptr{Cdouble},), integrator, impulse, virial)
rattle_expr_lgamma(graph, a) =
    ccall((:rattle_expr_lgamma, library), rattle_expr, (Ptr{rattle_graph}, rattle_expr,), graph, a)
rattle_expr_logaddexp(graph, a, b) =
    ccall((:rattle_expr_logaddexp, library), rattle_expr, (Ptr{rattle_graph}, rattle_expr, rattle_expr,), graph, a, b)
rattle_study_create(study, problem, kind, options, error) =
    ccall((:rattle_study_create, library), rattle_status, (Ptr{Ptr{rattle_study}}, Ptr{rattle_problem}, rattle_study_kind, Ptr{rattle_study_options}, Ptr{rattle_error},), study, problem, kind, options, error)
rattle_study_destroy(study) =
    ccall((:rattle_study_destroy, library), Cvoid, (Ptr{Ptr{rattle_study}},), study)
rattle_study_result_of(study) =
    ccall((:rattle_study_result_of, library), Ptr{rattle_study_result}, (Ptr{rattle_study},), study)
rattle_study_save(study, path, force, error) =
    ccall((:rattle_study_save, library), rattle_status, (Ptr{rattle_study}, Cstring, Cint, Ptr{rattle_error},), study, path, force, error)
rattle_study_load(study, path, error) =
    ccall((:rattle_study_load, library), rattle_status, (Ptr{Ptr{rattle_study}}, Cstring, Ptr{rattle_error},), study, path, error)
rattle_study_find_table(method, name) =
    ccall((:rattle_study_find_table, library), Ptr{rattle_study_table}, (Ptr{rattle_study_method}, Cstring,), method, name)
rattle_study_find_fit(method, name) =
    ccall((:rattle_study_find_fit, library), Ptr{rattle_study_fit}, (Ptr{rattle_study_method}, Cstring,), method, name)
rattle_study_find_figure(method, name) =
    ccall((:rattle_study_find_figure, library), Cdouble, (Ptr{rattle_study_method}, Cstring,), method, name)
rattle_study_entry(table, row, column) =
    ccall((:rattle_study_entry, library), Cdouble, (Ptr{rattle_study_table}, Cint, Cstring,), table, row, column)
rattle_verification_create(verification, method, options, error) =
    ccall((:rattle_verification_create, library), rattle_status, (Ptr{Ptr{rattle_verification}}, Cstring, Ptr{rattle_verify_options}, Ptr{rattle_error},), verification, method, options, error)
rattle_verification_destroy(verification) =
    ccall((:rattle_verification_destroy, library), Cvoid, (Ptr{Ptr{rattle_verification}},), verification)
rattle_verification_result_of(verification) =
    ccall((:rattle_verification_result_of, library), Ptr{rattle_verification_result}, (Ptr{rattle_verification},), verification)

end
