// Small documents that use most of what the loaders read.
#pragma once

#include <string>

namespace stiction {

inline const std::string kSampleObj = R"(# a wedge
mtllib none.mtl
o wedge
v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0.1 0.1 0
v 0 0 0.1
v 0.1 0 0.1
vn 0 0 1
f 1//1 3//1 4//1 2//1
f 1 2 6 5
f 3 5 6 4
f 1 5 3
f 2 4 -1
)";

inline const std::string kSampleStl = R"(solid tetrahedron
facet normal 0 0 -1
 outer loop
  vertex 0 0 0
  vertex 0 0.1 0
  vertex 0.1 0 0
 endloop
endfacet
facet normal 0 -1 0
 outer loop
  vertex 0 0 0
  vertex 0.1 0 0
  vertex 0 0 0.1
 endloop
endfacet
facet normal -1 0 0
 outer loop
  vertex 0 0 0
  vertex 0 0 0.1
  vertex 0 0.1 0
 endloop
endfacet
facet normal 1 1 1
 outer loop
  vertex 0.1 0 0
  vertex 0 0.1 0
  vertex 0 0 0.1
 endloop
endfacet
endsolid tetrahedron
)";

inline const std::string kSampleDae = R"(<?xml version="1.0"?>
<COLLADA version="1.4.1">
 <asset><unit meter="0.01" name="cm"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0 2 0 0 0 2 0 0 0 2</float_array>
   <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/>
   <p>0 2 1 0 1 3</p></triangles>
  <polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>
   <vcount>3 3</vcount><p>0 3 2 1 2 3</p></polylist>
 </mesh></geometry></library_geometries>
 <library_nodes><node id="n"><instance_geometry url="#g"/></node></library_nodes>
 <library_visual_scenes><visual_scene id="s">
  <node id="a"><matrix>1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix><instance_geometry url="#g"/>
   <node id="b"><translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>1 2 -1</scale>
    <instance_node url="#n"/></node></node>
 </visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
)";

inline const std::string kSampleUrdf = R"(<?xml version="1.0"?>
<robot name="sample">
  <mujoco><compiler meshdir="." balanceinertia="true" strippath="false"/></mujoco>
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <inertial><origin xyz="0 0 0.1" rpy="0 0 0.5"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="grey"/></visual>
    <collision><geometry><mesh filename="sample.obj" scale="1 1 1"/></geometry></collision>
    <collision><geometry><mesh filename="sample.stl"/></geometry></collision>
    <visual><geometry><mesh filename="sample.dae"/></geometry></visual>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry>
    </collision>
  </link>
  <link name="hand">
    <inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="5"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="wrist" type="prismatic">
    <parent link="arm"/><child link="hand"/><limit lower="0" upper="0.1" effort="10"/>
    <mimic joint="shoulder" multiplier="0.1" offset="0.05"/>
  </joint>
  <joint name="weld" type="fixed"><parent link="hand"/><child link="tip"/></joint>
  <transmission name="t"/>
  <gazebo reference="arm"><mu1>0.5</mu1></gazebo>
</robot>
)";

inline const std::string kSampleMjcf = R"(<mujoco model="sample">
  <compiler angle="degree" autolimits="true" eulerseq="xyz" meshdir="." boundmass="0.001"/>
  <option timestep="0.002" gravity="0 0 -9.81" integrator="implicitfast"><flag contact="enable"/>
  </option>
  <default>
    <joint damping="0.1"/>
    <default class="leg"><geom type="capsule" size="0.02" rgba="0.5 0.5 0.5 1"/>
      <joint range="-90 90" armature="0.01"/></default>
  </default>
  <asset>
    <mesh name="wedge" file="sample.obj" scale="1 1 1"/>
    <mesh name="points" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <material name="red" rgba="1 0 0 1"/>
    <hfield name="hills" nrow="2" ncol="3" size="1 1 0.2 0.1" elevation="0 1 2 3 4 5"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="side" pos="0 -2 1" xyaxes="1 0 0 0 0.5 1"/>
    <geom name="floor" type="plane" size="5 5 0.1" material="red"/>
    <geom type="hfield" hfield="hills" pos="3 0 0"/>
    <body name="trunk" pos="0 0 1" quat="1 0 0 0">
      <freejoint name="root"/>
      <inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/>
      <geom type="box" size="0.2 0.1 0.05"/>
      <geom type="mesh" mesh="wedge" euler="10 20 30"/>
      <site name="imu" pos="0 0 0.05" size="0.01"/>
      <body name="thigh" pos="0.2 0 0" axisangle="0 0 1 30" childclass="leg">
        <joint name="hip" axis="0 1 0" stiffness="1" springref="10"/>
        <geom name="upper" fromto="0 0 0 0 0 -0.2"/>
        <frame pos="0 0 -0.2" euler="0 10 0">
          <body name="shin">
            <joint name="knee" type="hinge" axis="0 1 0" frictionloss="0.1"/>
            <geom name="lower" fromto="0 0 0 0 0 -0.2" density="500"/>
          </body>
        </frame>
      </body>
      <body name="ball" pos="-0.3 0 0" zaxis="0 1 1">
        <joint name="socket" type="ball" range="0 60"/>
        <geom type="ellipsoid" size="0.05 0.06 0.07" mass="0.2"/>
      </body>
      <body name="rod" pos="0 0.2 0" xyaxes="0 1 0 -1 0 0">
        <joint name="rail" type="slide" axis="1 0 0" range="-0.1 0.1" limited="true"/>
        <geom type="cylinder" size="0.02 0.1" friction="0.5 0.01 0.001" condim="4"/>
      </body>
    </body>
    <replicate count="3" offset="0.2 0 0"><geom type="sphere" size="0.05"/></replicate>
  </worldbody>
  <contact><exclude body1="trunk" body2="shin"/><pair geom1="floor" geom2="lower" condim="3"/>
  </contact>
  <equality>
    <connect body1="rod" anchor="0 0 0"/><weld body1="ball" body2="trunk" active="false"/>
    <joint joint1="hip" joint2="knee" polycoef="0 1 0 0 0"/>
  </equality>
  <tendon><fixed name="cable"><joint joint="hip" coef="1"/><joint joint="knee" coef="-1"/></fixed>
  </tendon>
  <actuator>
    <motor name="m" joint="hip" gear="10" ctrlrange="-1 1"/><position joint="knee" kp="20"/>
    <velocity joint="rail" kv="2"/><general tendon="cable" gainprm="1" biastype="affine"/>
  </actuator>
  <sensor><gyro site="imu"/><jointpos joint="hip"/><framequat objtype="body" objname="trunk"/>
  </sensor>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0 0 1 0 0 0 0"/></keyframe>
</mujoco>
)";

}  // namespace stiction
