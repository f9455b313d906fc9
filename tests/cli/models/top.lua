-- symmetric heavy top in a quaternion; H without a radial term: gauge
local a,pa=pair("a") local b,pb=pair("b") local c,pc=pair("c") local d,pd=pair("d")
local L1=(-b*pa+a*pb+d*pc-c*pd)/2
local L2=(-c*pa-d*pb+a*pc+b*pd)/2
local L3=(-d*pa+c*pb-b*pc+a*pd)/2
hamiltonian(L1^2/2+L2^2/2+L3^2/1 + (a^2-b^2-c^2+d^2))
constrain("norm", a^2+b^2+c^2+d^2-1)
start{a=0.8,b=0.5,c=0.3,d=0.1,pa=0.1,pb=0.3,pc=-0.2,pd=0.9,project=true}
integrate{step=0.01,stop=1}
